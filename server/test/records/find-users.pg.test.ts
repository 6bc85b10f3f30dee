import type { UserOfPrincipal } from '@anagrafe/client';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { countedMax } from '../../src/records/read/listing-page.store.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  const { status } = await service.call('irs/insert', [
    {
      ExternalKey: 'C-1',
      Denomination: 'Rossi Srl',
      Users: [
        newUser('mario', { Email: 'Mario.Rossi@Example.com', FirstName: 'Mario', LastName: 'De Rossi' }),
        newUser('anna', { Email: 'office@example.com', FirstName: 'Anna', LastName: "D'Amicò" }),
      ],
    },
    {
      Denomination: 'Bianchi Srl',
      Users: [
        newUser('ugo', { Email: 'OFFICE@example.com', LastName: 'Marino' }),
        newUser('eva', { FirstName: 'Eva Maria' }),
        newUser('none'),
      ],
    },
  ]);
  expect(status).toBe(200);
});

async function find(filter: object) {
  const { status, body } = await service.call<UserOfPrincipal>('irs/users', filter);
  expect(status).toBe(200);
  const { records = [], totalCount, totalPages } = body.result ?? {};
  return { names: records.map((user) => user.Username), records, totalCount, totalPages };
}

describe('the users in an answer of irs/users', () => {
  it.each([
    ['mario.rossi@example.com', ['mario']],
    ['MARIO.ROSSI@EXAMPLE.COM', ['mario']],
    ['office@example.com', ['anna', 'ugo']],
    ['rossi@example.com', []],
    ['mario.rossi@example.com ', []],
    ['%@example.com', []],
  ])('are found by the whole email address in any case: %s', async (Email, names) => {
    expect(await find({ Email })).toMatchObject({ names, totalCount: names.length });
  });

  it.each([
    ['mar', ['mario', 'ugo', 'eva']],
    ['MARIO', ['mario']],
    ['rossi', ['mario']],
    ['rossi mario', ['mario']],
    ['mario bianchi', []],
    ['amico', ['anna']],
    ['D’Amico', ['anna']],
    ['ossi', []],
    ["' | a:*", ['anna']],
    ['\\', []],
    ['--', []],
  ])('are found by the beginning of words of their first and last names: %s', async (Name, names) => {
    expect(await find({ Name })).toMatchObject({ names, totalCount: names.length });
  });

  it.each([
    ['ann', ['anna']],
    ['mario', ['mario', 'extra.phone']],
    ['MARIO.rossi@exam', ['mario']],
    ['office@', ['anna', 'ugo']],
    ["d'ami", ['anna']],
    ['example.com', []],
    ['4567', ['extra.phone']],
    ['02 123-4567', ['extra.phone']],
    ['0039 (02) 1234567', ['extra.phone']],
    ['+39.02.1234567', ['extra.phone']],
    ['+39 567', []],
    ['+39 234567', ['extra.phone']],
    ['567', []],
    ['1234', []],
    ['02 999 4567', []],
    ['%', []],
    ["' | a:*", ['anna']],
    ['\\', []],
  ])('are found by the username, email address, names or phone number: %s', async (Search, names) => {
    const Phone = '+39 02/1234567';
    const added = newUser('extra.phone', { Phone, LastName: 'Mariotti' });
    await service.call('irs/update', [{ ID: 2, Users: [added] }]);
    expect(await find({ Search })).toMatchObject({ names, totalCount: names.length });
    await service.call('irs/delete', [{ ID: 2, Users: [{ Username: 'extra.phone' }] }]);
  });

  it('are found by their ID', async () => {
    expect(await find({ UserID: 3 })).toMatchObject({ names: ['ugo'], totalCount: 1 });
    expect((await find({ UserID: 3, ID: 1 })).names).toEqual([]);
    expect((await find({ UserID: 999_999 })).names).toEqual([]);
  });

  it('have the external key and the company name of their principal', async () => {
    const { records } = await find({ Email: 'office@example.com' });
    expect(records).toMatchObject([
      { Username: 'anna', ExternalKey: 'C-1', Denomination: 'Rossi Srl' },
      { Username: 'ugo', ExternalKey: null, Denomination: 'Bianchi Srl' },
    ]);
  });

  it('are found by a combination of filters', async () => {
    expect((await find({ Email: 'office@example.com', ExternalKey: 'C-1' })).names).toEqual(['anna']);
    expect((await find({ Name: 'mar', ID: 2 })).names).toEqual(['ugo', 'eva']);
    expect((await find({ Name: 'mar', State: 'disabled' })).names).toEqual([]);
    expect((await find({ Search: 'ma', Name: 'ross', Email: 'mario.rossi@example.com' })).names).toEqual([
      'mario',
    ]);
  });

  it('are found after an ID, in the order of IDs', async () => {
    expect(await find({ AfterID: 3 })).toMatchObject({ names: ['eva', 'none'], totalCount: 2 });
    expect((await find({ AfterID: 0, PageSize: 2 })).names).toEqual(['mario', 'anna']);
    expect((await find({ AfterID: 5 })).names).toEqual([]);
  });
});

describe('the order of irs/users', () => {
  it.each([
    [undefined, ['mario', 'anna', 'ugo', 'eva', 'none']],
    ['ID', ['mario', 'anna', 'ugo', 'eva', 'none']],
    ['-ID', ['none', 'eva', 'ugo', 'anna', 'mario']],
    ['Username', ['anna', 'eva', 'mario', 'none', 'ugo']],
    ['-Username', ['ugo', 'none', 'mario', 'eva', 'anna']],
  ])('is the same over all pages, with and without a filter: %s', async (Sort, names) => {
    for (const filter of [{}, { State: 'active' }, { NeverSignedIn: true }, { Date: '2020-01-01' }]) {
      expect(await find({ Sort, ...filter })).toMatchObject({ names, totalCount: 5 });
      const paged: string[] = [];
      for (const Page of [1, 2, 3]) {
        const page = await find({ Sort, ...filter, Page, PageSize: 2 });
        expect(page.totalPages).toBe(3);
        paged.push(...page.names);
      }
      expect(paged).toEqual(names);
    }
  });

  it('is that of the last changes with UpdatedAt', async () => {
    const edit = { Operation: 'edit', Username: 'mario', FirstName: 'Mario' };
    await service.call('irs/update', [{ ID: 1, Users: [{ ...edit, Language: 'it' }] }]);
    expect((await find({ Sort: '-UpdatedAt', PageSize: 1 })).names).toEqual(['mario']);
    expect((await find({ Sort: 'UpdatedAt', Search: 'm' })).names).toEqual(['ugo', 'eva', 'mario']);
    expect((await find({ Sort: '-UpdatedAt', Search: 'm' })).names).toEqual(['mario', 'eva', 'ugo']);
  });

  it('is one of those that have an index', async () => {
    const { status, body } = await service.call('irs/users', { Sort: 'Email' });
    expect([status, body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
  });
});

describe('a user that was edited', () => {
  it('is found by its new name and email address, and no longer by the old ones', async () => {
    const edit = { Operation: 'edit', Username: 'none', FirstName: 'Zoe', Email: 'zoe@example.com' };
    const { status, text } = await service.call('irs/update', [{ ID: 2, Users: [edit] }]);
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect((await find({ Name: 'zo' })).names).toEqual(['none']);
    expect((await find({ Email: 'ZOE@example.com' })).names).toEqual(['none']);
    const cleared = { Operation: 'edit', Username: 'none', FirstName: '', Email: '' };
    expect((await service.call('irs/update', [{ ID: 2, Users: [cleared] }])).status).toBe(200);
    expect((await find({ Name: 'zo' })).names).toEqual([]);
    expect((await find({ Email: 'zoe@example.com' })).names).toEqual([]);
  });

  it('keeps its names when only its password is reset', async () => {
    const { Password, ConfirmPassword } = newUser('eva');
    const reset = { Operation: 'reset', Username: 'eva', Password, ConfirmPassword };
    expect((await service.call('irs/update', [{ ID: 2, Users: [reset] }])).status).toBe(200);
    expect((await find({ Name: 'eva' })).names).toEqual(['eva']);
  });
});

describe('the filters State and NeverSignedIn', () => {
  it('find disabled users, and users that have never signed in', async () => {
    const changed = await service.call('irs/state', [{ ID: 2, Users: [{ ID: 3, State: 'disabled' }] }]);
    expect(changed.status).toBe(200);
    const login = { Username: 'mario', Password: newUser('mario').Password };
    expect((await service.call('login', login)).status).toBe(200);
    expect((await find({ State: 'disabled' })).names).toEqual(['ugo']);
    expect((await find({ State: 'active' })).names).toEqual(['mario', 'anna', 'eva', 'none']);
    expect((await find({ NeverSignedIn: true })).names).toEqual(['anna', 'ugo', 'eva', 'none']);
    expect((await find({ NeverSignedIn: true, State: 'active' })).names).toEqual(['anna', 'eva', 'none']);
    expect((await find({ NeverSignedIn: false })).names).toHaveLength(5);
  });
});

describe('a list of more users than irs/users counts', () => {
  const extra = 2500;

  beforeAll(async () => {
    // Row counts are not needed: they serve lists without filters.
    await service.database.query(
      `insert into anagrafe.users (principal_id, username, username_key, password_hash, state, email)
       select 1, 'many' || n, 'many' || n, 'no hash', 'disabled', 'many@example.com'
         from generate_series(1, $1::int) as n`,
      [countedMax + extra],
    );
  });

  it('has a total that is a lower bound and grows with the page, so that all pages can be read', async () => {
    const disabled = countedMax + extra + 1;
    const pages: number[] = [];
    let read = 0;
    for (let Page = 1, totalPages = 1; Page <= totalPages; Page++) {
      const answer = await find({ State: 'disabled', Page, PageSize: 1000 });
      read += answer.names.length;
      pages.push(answer.totalCount ?? 0);
      totalPages = answer.totalPages ?? 0;
    }
    expect(read).toBe(disabled);
    expect(pages.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => countedMax));
    expect(pages.slice(9)).toEqual([10_001, 11_001, 12_001, disabled]);
  });

  it('has an exact total if it is filtered by principal or by email address', async () => {
    expect((await find({ Email: 'many@example.com' })).totalCount).toBe(countedMax + extra);
    expect((await find({ ID: 1, State: 'disabled' })).totalCount).toBe(countedMax + extra);
  });

  it('has the maximum count as the total of a page after the last', async () => {
    expect(await find({ State: 'disabled', Page: 99, PageSize: 1000 })).toMatchObject({
      names: [],
      totalCount: countedMax,
    });
  });
});
