import { userFields } from '@anagrafe/client';
import { databaseTime } from '@anagrafe/testing/clock';
import { runs } from '@anagrafe/testing/random';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

interface User {
  ID: number;
  Username: string;
  IRID: number;
  Users: { ID: number; Username: string }[];
  UsersCount: number;
}

/** The number of users of the large principal: more than the 1,000 that irs/list shows of one principal. */
const crowd = 1205;
let service: TestService;
let small: number;
let large: number;

beforeAll(async () => {
  service = await startTestService();
  const { body } = await service.call('irs/insert', [
    {
      ExternalKey: 'small',
      Denomination: 'Small',
      Users: [newUser('Mario.Rossi', { Email: 'M.Rossi@example.com' }), newUser('Nicolò Bini')],
    },
    { ExternalKey: 'large', Denomination: 'Large' },
  ]);
  [small = 0, large = 0] = (body.result?.records ?? []).map((tuple) => tuple.Item1 ?? 0);
  await addUsers(service, large, 'crowd', { count: crowd, gap: 0 });
});

/**
 * Inserts users without a valid password hash, and updates the user count of the principal, the ID sequence and the
 * row counts. After every 50 users `gap` IDs are skipped.
 */
async function addUsers(
  { database }: TestService,
  principal: number,
  name: string,
  { count, gap }: { count: number; gap: number },
): Promise<void> {
  await database.query(
    `with added as (
       insert into anagrafe.users (id, principal_id, username, username_key, password_hash)
       select last + n + $4::int * (n / 50), $1::bigint, $2::text || n, $2::text || n, 'no hash'
         from generate_series(1, $3::int) as n, (select coalesce(max(id), 0) as last from anagrafe.users) as stored
       returning id
     ), counted as (
       update anagrafe.principals set users_count = users_count + $3::int where id = $1::bigint
     ), moved as (
       select setval(pg_get_serial_sequence('anagrafe.users', 'id'), (select max(id) from added))
     ), tallied as (
       insert into anagrafe.row_counts as counted (kind, block, slot, amount)
       select 'users', id >> 12, 99, count(*) from added group by id >> 12
       on conflict (kind, block, slot) do update set amount = counted.amount + excluded.amount
     )
     select * from moved`,
    [principal, name, count, gap],
  );
}

async function users(parameters: unknown, at = service) {
  const answer = await at.call<User>('irs/users', parameters);
  const found = answer.body.result?.records ?? [];
  return { ...answer, found, names: found.map((user) => user.Username) };
}

describe('a user in irs/users', () => {
  it('has the documented fields and those of its principal, and no secret', async () => {
    const { text, found } = await users({ ID: small });
    expect(Object.keys(found[0] ?? {}).join()).toBe(
      `ID,Username,${Object.keys(userFields)},State,CreatedAt,UpdatedAt,PasswordChangedAt,LastLoginAt,MustChangePassword,IRID,ExternalKey,Denomination`,
    );
    expect(found[0]).toMatchObject({
      Username: 'Mario.Rossi',
      Email: 'M.Rossi@example.com',
      State: 'active',
      LastLoginAt: null,
      MustChangePassword: false,
      IRID: small,
      ExternalKey: 'small',
      Denomination: 'Small',
    });
    expect(text).not.toMatch(/argon2|no hash|"PasswordHash|"password|correct horse/);
  });
});

describe('the filters of irs/users', () => {
  it.each(['Mario.Rossi', 'mario.rossi', 'MARIO.ROSSI', 'ｍａｒｉｏ.ｒｏｓｓｉ'])(
    'find one user by its username in any case and width: %s',
    async (Username) => {
      const { names, body } = await users({ Username });
      expect(names).toEqual(['Mario.Rossi']);
      expect(body.result).toMatchObject({ totalCount: 1, totalPages: 1, page: 1, count: 1 });
    },
  );

  it('find the users that have one of many usernames', async () => {
    const Usernames = ['nicolò bini', 'CROWD7', 'nobody', 'Mario.Rossi', 'mario.rossi'];
    const { names, body } = await users({ Usernames });
    expect(names).toEqual(['Mario.Rossi', 'Nicolò Bini', 'crowd7']);
    expect(body.result).toMatchObject({ totalCount: 3, totalPages: 1, page: 1, count: 3 });
    // The maximum: 100 usernames of 128 characters with four bytes each.
    const longest = Array.from({ length: 100 }, () => '𐐩'.repeat(128));
    expect((await users({ Usernames: longest })).names).toEqual([]);
  });

  it('find a username by its decomposed form', async () => {
    expect((await users({ Username: 'NICOLO\u0300 bini' })).names).toEqual(['Nicolò Bini']);
  });

  it.each(['mario', 'mario.rossi2', ' mario.rossi', '♚', '%', 'Mario_Rossi'])(
    'find no user by a text that is not a registered username: "%s"',
    async (Username) => {
      const { status, body } = await users({ Username });
      expect(status).toBe(200);
      expect(body.result).toEqual({
        totalCount: 0,
        totalPages: 0,
        page: 1,
        count: 0,
        records: [],
        record: null,
      });
    },
  );

  it('find every username that can be registered, including the longest', async () => {
    const decomposed = 'e\u0301'.repeat(128);
    const pairs = '𐐨'.repeat(128);
    const { status } = await service.call('irs/update', [
      { ID: small, Users: [newUser(decomposed), newUser(pairs)] },
    ]);
    expect(status).toBe(200);
    expect((await users({ Username: decomposed })).names).toEqual([decomposed]);
    expect((await users({ Username: pairs })).names).toEqual([pairs]);
  });

  it('find the users of a principal by its ID and by its ExternalKey', async () => {
    const byId = await users({ ID: large, PageSize: 1000 });
    const byKey = await users({ ExternalKey: 'large', PageSize: 1000 });
    expect(byId.body.result).toMatchObject({ totalCount: crowd, totalPages: 2, count: 1000 });
    expect(byKey.text).toBe(byId.text);
    expect(new Set(byId.found.map((user) => user.IRID))).toEqual(new Set([large]));
    expect((await users({ ID: 999_999 })).names).toEqual([]);
    expect((await users({ ExternalKey: 'nobody' })).names).toEqual([]);
  });

  it('find users by the beginning of the username', async () => {
    expect((await users({ Search: 'MARIO' })).names).toEqual(['Mario.Rossi']);
    expect((await users({ Search: 'nicolo\u0300' })).names).toEqual(['Nicolò Bini']);
    expect((await users({ Search: 'crowd12', PageSize: 5 })).body.result).toMatchObject({ totalCount: 17 });
    expect((await users({ Search: 'crowd12', ID: small })).names).toEqual([]);
  });

  it('find users that changed since a date, including password resets', async () => {
    const since = (await databaseTime(service.database)).toISOString();
    expect((await users({ Date: since })).names).toEqual([]);
    const [mario] = (await users({ Username: 'mario.rossi' })).found;
    const reset = { ID: mario?.ID, Password: 'a new sentence', ConfirmPassword: 'a new sentence' };
    await service.call('irs/update', [{ ID: small, Users: [reset] }]);
    expect((await users({ Date: since })).names).toEqual(['Mario.Rossi']);
  });
});

describe('an invalid parameter of irs/users', () => {
  it.each([
    ['Username', ['', ' ', 7, [], 'x'.repeat(2000)]],
    ['Page', [0, '1']],
    ['PageSize', [1001]],
    ['Date', ['never', '2026-02-30']],
    ['Email', ['', ' ', 7, `${'x'.repeat(250)}@x.it`]],
    ['Name', ['', 7, 'x'.repeat(201)]],
    ['State', ['Active', 'deleted', true]],
    ['NeverSignedIn', ['true', 1]],
    ['AfterID', [-1, '1', 1.5]],
    ['IRID', [1]],
  ])('gets 400 with its name: %s', async (name, values) => {
    for (const value of values) {
      const { status, body } = await users({ [name]: value });
      expect([value, status]).toEqual([value, 400]);
      expect(body.errorCode).toBe('INVALID_PARAMETER');
      expect(body.message).toContain(`"${name}"`);
    }
  });
});

it('a request to irs/users with both Username and Usernames gets 400', async () => {
  const both = await users({ Username: 'mario.rossi', Usernames: ['anna.bianchi'] });
  expect([both.status, both.body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
  expect(both.body.message).toBe('"Usernames" and "Username" cannot be combined. Send only one of them.');
  for (const one of [
    { Username: null, Usernames: ['mario.rossi'] },
    { Username: 'mario.rossi', Usernames: null },
  ])
    expect((await users(one)).names).toEqual(['Mario.Rossi']);
});

describe('a principal with more than 1,000 users', () => {
  it('has its first 1,000 users in irs/list, and all of them in irs/users', async () => {
    const { body } = await service.call<User>('irs/list', { ID: large });
    const [principal] = body.result?.records ?? [];
    expect(principal?.UsersCount).toBe(crowd);
    expect(principal?.Users).toHaveLength(1000);
    const pages = [
      await users({ ID: large, PageSize: 700 }),
      await users({ ID: large, PageSize: 700, Page: 2 }),
    ];
    const all = pages.flatMap((page) => page.found.map((user) => user.ID));
    expect(all).toHaveLength(crowd);
    expect(all).toEqual([...all].sort((a, b) => a - b));
    expect(principal?.Users.map((user) => user.ID)).toEqual(all.slice(0, 1000));
  });

  it('is listed without users of other principals', async () => {
    const { body } = await service.call<User>('irs/list', {});
    const shown = (body.result?.records ?? []).map((principal) =>
      principal.Users.map((user) => user.Username),
    );
    expect(shown[0]).toContain('Mario.Rossi');
    expect(shown[0]).not.toContain('crowd1');
    expect(shown[1]?.slice(0, 2)).toEqual(['crowd1', 'crowd2']);
  });
});

describe('the pages of irs/users', () => {
  let many: TestService;
  let owner: number;

  beforeAll(async () => {
    many = await startTestService();
    [owner = 0] = await insertPrincipals(many, 1);
    await addUsers(many, owner, 'gaps', { count: 4500, gap: 137 });
  });

  it('equal those of a plain query at any depth, across gaps and blocks of IDs', async () => {
    const all = await many.database.query<{ id: number }>('select id from anagrafe.users order by id');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1000 }), fc.nat({ max: 105 }), async (PageSize, percent) => {
        const totalPages = Math.ceil(all.length / PageSize);
        const Page = Math.max(1, Math.round((totalPages * percent) / 100));
        const { body, found } = await users({ Page, PageSize }, many);
        const expected = all.slice((Page - 1) * PageSize, Page * PageSize).map((row) => row.id);
        expect(found.map((user) => user.ID)).toEqual(expected);
        expect(body.result).toMatchObject({
          totalCount: all.length,
          totalPages,
          page: Page,
          count: expected.length,
        });
      }),
      runs(25),
    );
  });

  it('stay complete while users are registered', async () => {
    const ids = async () => {
      const rows = await many.database.query<{ id: number }>('select id from anagrafe.users');
      return rows.map((row) => row.id);
    };
    const before = await ids();
    const names = Array.from({ length: 40 }, (_, n) => `meanwhile.${n}`);
    const register = (some: readonly string[]) =>
      Promise.all(some.map((name) => many.call('irs/update', [{ ID: owner, Users: [newUser(name)] }])));

    const totals: number[] = [];
    async function readPages(PageSize: number): Promise<Set<number>> {
      const seen = new Set<number>();
      for (let Page = 1, last = 1; Page <= last; Page++) {
        const { body, found } = await users({ Page, PageSize }, many);
        const { totalCount = 0, totalPages = 0, ...result } = body.result ?? {};
        expect(result).toMatchObject({ page: Page, count: found.length });
        expect(totalPages).toBe(Math.ceil(totalCount / PageSize));
        const shown = found.map((user) => user.ID);
        // The IDs of a page are ascending and unique.
        expect(shown).toEqual([...new Set(shown)].toSorted((one, other) => one - other));
        expect(shown.length).toBe(Page < totalPages ? PageSize : Math.min(shown.length, PageSize));
        for (const id of shown) seen.add(id);
        totals.push(totalCount);
        last = totalPages;
      }
      return seen;
    }

    // The test reads all pages during the writes and between them.
    for (let done = 0; done < names.length; done += 10) {
      const known = await ids();
      const [seen, written] = await Promise.all([readPages(1000), register(names.slice(done, done + 10))]);
      // A user registered during the reads may be on two pages; a user registered before is never skipped.
      expect(known.filter((id) => !seen.has(id))).toEqual([]);
      for (const { status } of written) expect(status).toBe(200);
    }
    expect(totals).toEqual(totals.toSorted((one, other) => one - other));
    expect(totals.some((total) => total > before.length && total < before.length + names.length)).toBe(true);

    expect(await readPages(997)).toEqual(new Set(await ids()));
    expect(totals.at(-1)).toBe(before.length + names.length);
    const { names: found } = await users({ Search: 'meanwhile.', PageSize: 1000 }, many);
    expect(found.toSorted()).toEqual(names.toSorted());
  });
});
