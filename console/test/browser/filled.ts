import type { Credential } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { holding, importedUser, jobOf, principalLock, readJob, submit } from '@anagrafe/testing/jobs';
import { newUser, type TestService } from '@anagrafe/testing/service';
import { expect } from 'vitest';

/** Inserts 2 principals with 4 users, and sends 2 records that fail: a taken username and a short password. */
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

/** Appends `count` rows of the action `insert` to the audit log, and waits until the hash chain covers them. */
export async function fillAuditLog(service: TestService, count: number): Promise<void> {
  await service.database.query(
    `insert into anagrafe.audit_log (actor, action, principal_id)
     select 'service', 'insert', 1 from generate_series(1, $1::integer)`,
    [count],
  );
  await allHashed(service);
}

/** The users of the job that `withBlockedJob` submits, and those of them that are written before the lock. */
export const blockedJob = { users: 300, usersDone: 30 };

/**
 * Submits a job that stays unfinished while `work` runs: its first record is written, and a database lock blocks the
 * others. The service cancels a write that has waited for 25 s and retries it, so the job stays blocked on a slow
 * machine too.
 */
export async function withBlockedJob(
  service: TestService,
  headers: Credential,
  work: (id: string) => Promise<void>,
): Promise<void> {
  const names = [{ Denomination: 'Free' }, { Denomination: 'Locked' }];
  const { body } = await service.call('irs/insert', names, { headers });
  const [free = 0, locked = 0] = (body.result?.records ?? []).map(({ Item1 }) => Item1 ?? 0);
  const records = Array.from({ length: 10 }, (_, n) => ({
    ID: n === 0 ? free : locked,
    Users: Array.from({ length: 30 }, (_user, m) => importedUser(`blocked.${locked}.${n}.${m}`)),
  }));
  await holding(service, principalLock(locked), async ({ blocked }) => {
    const id = await submit(service, 'irs/update', records, headers);
    await blocked(1);
    await expect
      .poll(async () => jobOf(await readJob(service, id, headers)).UsersDone)
      .toBe(blockedJob.usersDone);
    await work(id);
  });
}
