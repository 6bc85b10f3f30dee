import { beforeAll, describe, expect, it } from 'vitest';
import { serviceActor } from '../../src/audit/audit-log.ts';
import type { LargePrincipal } from '../../src/records/insert.ts';
import { openRecordStore } from '../../src/records/records.store.ts';
import { importedHash } from '../setup/jobs.ts';
import { range } from '../setup/records.ts';
import { startTestService, type TestService } from '../setup/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const noPrincipalFields = { Denomination: 'Large', ExternalKey: null, Surname: null, Name: null };
const noUserFields = { Phone: null, FirstName: null, LastName: null, Language: null, Attributes: null };

async function largePrincipal(usernames: readonly string[]): Promise<LargePrincipal> {
  const store = openRecordStore(service.database);
  const [id = 0] = await store.reservePrincipalIds(1);
  const ids = await store.reserveUserIds(usernames.length);
  return {
    id,
    fields: { ...noPrincipalFields, Vatnumber: null, Taxcode: null, Email: null },
    searchTerms: ['large'],
    users: {
      count: usernames.length,
      usernameKey: (position) => usernames[position] ?? '',
      read: (position) => ({
        operation: 'register',
        id: ids[position] ?? 0,
        username: usernames[position] ?? '',
        usernameKey: usernames[position] ?? '',
        fields: { Email: null, ...noUserFields },
        passwordHash: importedHash,
      }),
    },
    context: { actor: serviceActor, reference: null, expectedCurrentHash: null },
  };
}

/** Returns the numbers of rows of the principal: itself, its users and its audit rows. */
async function rowsOf({ id }: LargePrincipal) {
  const [counts] = await service.database.query(
    `select (select count(*) from anagrafe.principals where id = $1) as principals,
            (select count(*) from anagrafe.users where principal_id = $1) as users,
            (select count(*) from anagrafe.audit_log where principal_id = $1) as audit`,
    [id],
  );
  return counts;
}

describe('a record that is written in several statements', () => {
  it('is written with all of its users and one audit row', async () => {
    const principal = await largePrincipal(range(1200).map((n) => `first-${n}`));
    await openRecordStore(service.database).insertLargePrincipal(principal);
    expect(await rowsOf(principal)).toEqual({ principals: 1, users: 1200, audit: 1 });
  });

  it('writes nothing if another record has one of its usernames', async () => {
    const taken = await largePrincipal(['taken']);
    const store = openRecordStore(service.database);
    await store.insertLargePrincipal(taken);
    const principal = await largePrincipal([...range(1200).map((n) => `second-${n}`), 'taken']);
    await expect(store.insertLargePrincipal(principal)).rejects.toMatchObject({ kind: 'conflict' });
    expect(await rowsOf(principal)).toEqual({ principals: 0, users: 0, audit: 0 });
  });

  /** Ends the connection that inserts this username: in the statement that does it, or in the commit. */
  async function breakConnectionAt(username: string, moment: 'statement' | 'commit'): Promise<void> {
    await service.database.query(
      `create function break_${moment}() returns trigger language plpgsql as $$
       begin
         perform pg_terminate_backend(pg_backend_pid());
         return null;
       end $$`,
    );
    await service.database.query(
      `create constraint trigger break_${moment} after insert on anagrafe.users
       ${moment === 'commit' ? 'deferrable initially deferred' : ''}
       for each row when (new.username = '${username}') execute function break_${moment}()`,
    );
  }

  it('writes nothing if its connection is lost between two statements, and may be sent again', async () => {
    await breakConnectionAt('third-999', 'statement');
    const principal = await largePrincipal(range(1200).map((n) => `third-${n}`));
    const store = openRecordStore(service.database);
    await expect(store.insertLargePrincipal(principal)).rejects.toMatchObject({ kind: 'away' });
    expect(await rowsOf(principal)).toEqual({ principals: 0, users: 0, audit: 0 });
  });

  it('has an unknown outcome if its connection is lost during the commit', async () => {
    await breakConnectionAt('fourth-999', 'commit');
    const principal = await largePrincipal(range(1200).map((n) => `fourth-${n}`));
    const store = openRecordStore(service.database);
    await expect(store.insertLargePrincipal(principal)).rejects.toMatchObject({ kind: 'unknown' });
  });
});
