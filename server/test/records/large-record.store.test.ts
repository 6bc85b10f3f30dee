import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { serviceActor } from '../../src/audit/audit-log.ts';
import type { NewUserList } from '../../src/records/compact-registration.ts';
import type { LargePrincipal } from '../../src/records/insert.ts';
import { openRecordStore } from '../../src/records/records.store.ts';
import { importedHash } from '../setup/jobs.ts';
import { range } from '../setup/records.ts';
import { insertPrincipals, startTestService, type TestService } from '../setup/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const noPrincipalFields = { Denomination: 'Large', ExternalKey: null, Surname: null, Name: null };
const noUserFields = { Phone: null, FirstName: null, LastName: null, Language: null, Attributes: null };

const context = { actor: serviceActor, reference: null, expectedCurrentHash: null };

async function largePrincipal(usernames: readonly string[]): Promise<LargePrincipal> {
  const [id = 0] = await openRecordStore(service.database).reservePrincipalIds(1);
  return {
    id,
    fields: { ...noPrincipalFields, Vatnumber: null, Taxcode: null, Email: null },
    searchTerms: ['large'],
    users: await newUsers(usernames),
    context,
  };
}

async function newUsers(usernames: readonly string[]): Promise<NewUserList> {
  const ids = await openRecordStore(service.database).reserveUserIds(usernames.length);
  return {
    ids,
    usernameKey: (position) => usernames[position] ?? '',
    read: (position) => ({
      operation: 'register',
      id: ids[position] ?? 0,
      username: usernames[position] ?? '',
      usernameKey: usernames[position] ?? '',
      fields: { Email: null, ...noUserFields },
      passwordHash: importedHash,
    }),
  };
}

/** Returns the numbers of rows of the principal: itself, its users and its audit rows. */
async function rowsOf({ id }: Pick<LargePrincipal, 'id'>) {
  const [counts] = await service.database.query(
    `select (select count(*) from anagrafe.principals where id = $1) as principals,
            (select count(*) from anagrafe.users where principal_id = $1) as users,
            (select count(*) from anagrafe.audit_log where principal_id = $1) as audit`,
    [id],
  );
  return counts;
}

describe('a record that is written in several statements', () => {
  it('is written with all of its users and an audit row for each 1,000 of them', async () => {
    const principal = await largePrincipal(range(1200).map((n) => `first-${n}`));
    await openRecordStore(service.database).insertLargePrincipal(principal);
    expect(await rowsOf(principal)).toEqual({ principals: 1, users: 1200, audit: 2 });
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

describe('many users of a stored principal', () => {
  const write = async (principalId: number, usernames: readonly string[]) =>
    openRecordStore(service.database).registerManyUsers({
      principalId,
      users: await newUsers(usernames),
      context,
    });

  it('are written beside its other users, with audit rows that have their IDs in the order sent', async () => {
    const [id = 0] = await insertPrincipals(service, 1);
    await write(id, ['earlier']);
    // Another record reserves IDs between those of this one.
    const users = range(1200).map((n) => `added-${1200 - n}`);
    const [first, second] = [await newUsers(users.slice(0, 700)), await newUsers(['other'])];
    const third = await newUsers(users.slice(700));
    await openRecordStore(service.database).registerManyUsers({ principalId: id, users: second, context });
    const both = (position: number) =>
      position < 700 ? ([first, position] as const) : ([third, position - 700] as const);
    const list = {
      ids: [...first.ids, ...third.ids],
      usernameKey: (position: number) => both(position)[0].usernameKey(both(position)[1]),
      read: (position: number) => both(position)[0].read(both(position)[1]),
    };
    await openRecordStore(service.database).registerManyUsers({ principalId: id, users: list, context });
    expect(await rowsOf({ id })).toEqual({ principals: 1, users: 1202, audit: 5 });
    const [stored] = await service.database.query(
      `select users_count as users,
              array(select unnest(registered)
                      from (select * from anagrafe.audit_log where principal_id = $1 order by id desc limit 2) as rows
                     order by id) as registered,
              array(select users.id from unnest($2::text[]) with ordinality as sent (username, nth)
                      join anagrafe.users using (username) order by nth) as "inOrder"
         from anagrafe.principals where id = $1`,
      [id, users],
    );
    expect(stored).toEqual({ users: 1202, registered: list.ids, inOrder: list.ids });
  });

  it('are not written if one of their usernames is taken', async () => {
    const [id = 0] = await insertPrincipals(service, 1);
    const usernames = [...range(1200).map((n) => `not-added-${n}`), 'added-1'];
    await expect(write(id, usernames)).rejects.toMatchObject({ kind: 'conflict' });
    expect(await rowsOf({ id })).toEqual({ principals: 1, users: 0, audit: 1 });
  });

  it('are not written if the principal was disabled or deleted', async () => {
    const [id = 0] = await insertPrincipals(service, 1);
    expect((await service.call('irs/state', [{ ID: id, State: 'disabled' }])).status).toBe(200);
    await expect(write(id, ['of a disabled principal'])).rejects.toMatchObject({ kind: 'conflict' });
    await expect(write(id + 1_000_000, ['of no principal'])).rejects.toMatchObject({ kind: 'conflict' });
    expect(await rowsOf({ id })).toMatchObject({ users: 0 });
  });

  async function principalOf(id: number) {
    const [stored] = await service.database.query(
      'select users_count as users, denomination from anagrafe.principals where id = $1',
      [id],
    );
    return stored;
  }

  /** Calls `change` while the users of a record are written, when all but the last 200 of 1,200 are inserted. */
  async function duringWrite(
    principalId: number,
    name: string,
    change: () => Promise<unknown>,
  ): Promise<void> {
    const users = await newUsers(range(1200).map((n) => `${name}-${String(n).padStart(4, '0')}`));
    let reached = () => {};
    const atEnd = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const read = (position: number) => {
      if (position === 1000) reached();
      return users.read(position);
    };
    const connection = new pg.Client({ connectionString: service.config.DATABASE_URL ?? '' });
    await connection.connect();
    // The transaction of the record waits for this username, until the change is made.
    await connection.query('begin');
    await connection.query(
      `insert into anagrafe.users (id, principal_id, username, username_key, password_hash)
       values (-1, $1, $2, $2, 'hash')`,
      [principalId, `${name}-1199`],
    );
    const writing = openRecordStore(service.database).registerManyUsers({
      principalId,
      users: { ...users, read },
      context,
    });
    writing.catch(() => undefined);
    await atEnd;
    await change();
    await connection.query('rollback');
    await connection.end();
    return writing;
  }

  it('do not keep registrations of the same principal waiting while they are written', async () => {
    const [id = 0] = await insertPrincipals(service, 1);
    await duringWrite(id, 'long', () => write(id, ['meanwhile']));
    expect(await rowsOf({ id })).toEqual({ principals: 1, users: 1201, audit: 4 });
    expect(await principalOf(id)).toMatchObject({ users: 1201 });
  });

  it('do not keep edits of the principal waiting while they are written', async () => {
    const [id = 0] = await insertPrincipals(service, 1);
    const edit = async () => {
      const { body } = await service.call('irs/update', [{ ID: id, Denomination: 'Edited' }]);
      expect(body.result?.records[0]).toMatchObject({ Item1: id, Item3: true });
    };
    await duringWrite(id, 'edited', edit);
    expect(await principalOf(id)).toMatchObject({ users: 1200, denomination: 'Edited' });
  });

  it('are all written if a record that changes the principal registers one of them meanwhile', async () => {
    const [id = 0] = await insertPrincipals(service, 1);
    let upserted: ReturnType<TestService['call']> | undefined;
    const waitingStatements = `select from pg_stat_activity
                                where datname = current_database() and wait_event_type = 'Lock'`;
    const upsert = async () => {
      const user = { Username: 'both-0000', PasswordHash: importedHash };
      upserted = service.call('irs/upsert', [{ ID: id, Denomination: 'Both', Users: [user] }]);
      // The large record waits for the username of the test, the upsert for the large record.
      await expect.poll(() => service.database.query(waitingStatements)).toHaveLength(2);
    };
    await duringWrite(id, 'both', upsert);
    expect((await upserted)?.body).toMatchObject({ statusCode: 200 });
    expect(await principalOf(id)).toMatchObject({ users: 1200, denomination: 'Both' });
  });

  it('are not written if the principal is disabled meanwhile', async () => {
    const [id = 0] = await insertPrincipals(service, 1);
    const disable = async () => {
      expect((await service.call('irs/state', [{ ID: id, State: 'disabled' }])).status).toBe(200);
    };
    await expect(duringWrite(id, 'late', disable)).rejects.toMatchObject({ kind: 'conflict' });
    expect(await rowsOf({ id })).toMatchObject({ users: 0 });
  });
});
