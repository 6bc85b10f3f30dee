import type { Credential } from '../setup/admin.ts';
import { submit } from '../setup/jobs.ts';
import { allSealed } from '../setup/journal.ts';
import { newUser, type TestService } from '../setup/service.ts';

/** Fills a service as a first day of work does: principals, users, a reset, records that are refused. */
export async function fill(service: TestService, headers: Credential): Promise<void> {
  const { body } = await service.call(
    'irs/insert',
    ['Rossi Srl', 'Bianchi SpA'].map((Denomination, n) => ({ Denomination, Users: [newUser(`first.${n}`)] })),
    { headers },
  );
  const [first, second] = (body.result?.records ?? []).map(({ Item1 }) => Item1);
  await service.call(
    'irs/update',
    [
      { ID: first, Users: [newUser('mario.rossi'), newUser('anna.bianchi')] },
      { ID: second, Users: [newUser('mario.rossi')] },
      { ID: second, Users: [newUser('luca.verdi', { Password: 'short', ConfirmPassword: 'short' })] },
    ],
    { headers },
  );
}

/** So many rows more in the journal: principals that were inserted. */
export async function fillJournal(service: TestService, count: number): Promise<void> {
  await service.database.query(
    `insert into anagrafe.journal (actor, action, principal_id)
     select 'service', 'insert', 1 from generate_series(1, $1::integer)`,
    [count],
  );
  await allSealed(service);
}

/** A job that is at work for as long as a test looks at it. */
export function fillSlowly(service: TestService, headers: Credential): Promise<string> {
  const records = Array.from({ length: 40 }, (_, n) => ({
    Denomination: `Principal ${n}`,
    Users: Array.from({ length: 50 }, (_user, m) => newUser(`slow.${n}.${m}`)),
  }));
  return submit(service, 'irs/insert', records, headers);
}
