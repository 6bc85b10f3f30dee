import { newStore } from '@anagrafe/testing/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/settings/config.ts';
import { openStore, type Store } from '../../src/store.ts';

// The checks that the database makes by itself, whatever the service sends.

let made: Awaited<ReturnType<typeof newStore>>;
let store: Store;

beforeAll(async () => {
  made = await newStore();
  store = await openStore(readConfig(made.settings), { mode: 'existing', log: () => {} });
});

afterAll(async () => {
  await store.close();
  await made.discard();
});

const insertPrincipals = (ids: string) =>
  `insert into anagrafe.principals (id, search_terms) select id, '' from generate_series(${ids}) as id`;

/** Users with the same IDs as their principals. */
const insertUsers = (ids: string) =>
  `insert into anagrafe.users (id, principal_id, username, username_key, password_hash)
   select id, id, 'user' || id, 'user' || id, 'hash' from generate_series(${ids}) as id`;

const count = async (table: 'principals' | 'users') =>
  (await store.database.query(`select from anagrafe.${table}`)).length;

describe('the database', () => {
  it('refuses users without a principal, with all rows of their statement', async () => {
    await store.database.query(insertPrincipals('1, 3'));
    await expect(store.database.query(insertUsers('1, 4'))).rejects.toMatchObject({ code: '23503' });
    expect(await count('users')).toBe(0);
    await store.database.query(insertUsers('1, 3'));
    expect(await count('users')).toBe(3);
  });

  it('accepts users of principals that the same statement inserts', async () => {
    await store.database.query(
      `with principal as (${insertPrincipals('11, 13')} returning id)
       insert into anagrafe.users (id, principal_id, username, username_key, password_hash)
       select id, id, 'same' || id, 'same' || id, 'hash' from principal`,
    );
    expect(await count('users')).toBe(6);
  });

  it('plans to find the users of principals by the index, although all users belong to one', async () => {
    await store.database.query(insertPrincipals('21, 21'));
    await store.database.query(
      `insert into anagrafe.users (id, principal_id, username, username_key, password_hash)
       select n, 21, 'of one' || n, 'of one' || n, 'hash' from generate_series(1001, 6000) as n`,
    );
    await store.database.query('analyze anagrafe.users');
    const plan = await store.database.query(
      `explain (format json) delete from anagrafe.users
        where principal_id = any(array(select id from anagrafe.principals where state = 'disabled'))`,
    );
    expect(JSON.stringify(plan)).toContain('users_principal_id');
    await store.database.query('delete from anagrafe.users where principal_id = 21');
    await store.database.query('delete from anagrafe.principals where id = 21');
  });

  it('refuses the deletion of a principal that has users', async () => {
    const remove = 'delete from anagrafe.principals where id between 2 and 5';
    await store.database.query(insertPrincipals('4, 5'));
    await expect(store.database.query(remove)).rejects.toMatchObject({ code: '23503' });
    expect(await count('principals')).toBe(8);
    await store.database.query(
      `with gone as (delete from anagrafe.users where principal_id between 2 and 5) ${remove}`,
    );
    expect(await count('principals')).toBe(4);
  });
});
