import { principalFields, userFields } from '@anagrafe/client';
import { databaseTime } from '@anagrafe/testing/clock';
import { runs } from '@anagrafe/testing/random';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

interface Principal {
  ID: number;
  Denomination: string | null;
  UpdatedAt: string;
  UsersCount: number;
  Users: { ID: number; Username: string }[];
}

let service: TestService;
const ids: Record<string, number> = {};

const records = [
  { ExternalKey: 'C-1001', Denomination: 'Caffè Società Perù', Email: 'info@caffe.example' },
  { ExternalKey: '🦊'.repeat(128), Surname: "D'Angelo", Name: 'Niccolò' },
  { Denomination: 'Rossi & Figli (Import/Export)', Vatnumber: 'IT01234567890' },
  {
    Denomination: '100% Cotone_Puro: l’originale!',
    Taxcode: 'RSSMRA80A01H501U',
    Vatnumber: 'FR 98.765.432.109',
  },
  { Denomination: 'Straße 東京 株式会社' },
  {
    Denomination: 'Owner of users',
    Users: ['Nicolò.Bini', "o'neil", 'back\\slash', 'qq_zz'].map((name) => newUser(name)),
  },
];
const names = ['caffe', 'angelo', 'rossi', 'cotone', 'tokyo', 'owner'];

beforeAll(async () => {
  service = await startTestService();
  const { body } = await service.call('irs/insert', records);
  for (const [n, name] of names.entries()) ids[name] = body.result?.records[n]?.Item1 ?? 0;
});

async function list(parameters: unknown, at = service) {
  const answer = await at.call<Principal>('irs/list', parameters);
  return { ...answer, found: (answer.body.result?.records ?? []).map((principal) => principal.ID) };
}

/** Returns the principals that a search finds, by their short names in `names`. */
async function search(Search: string): Promise<string[]> {
  const { status, found } = await list({ Search });
  expect(status).toBe(200);
  return names.filter((name) => found.includes(ids[name] ?? 0));
}

describe('a principal in irs/list', () => {
  it('has the documented fields in the documented order, and no secret', async () => {
    const { text, body } = await list({ ID: ids.owner });
    const [principal] = body.result?.records ?? [];
    expect(Object.keys(principal ?? {}).join()).toBe(
      `ID,${Object.keys(principalFields)},State,CreatedAt,UpdatedAt,UsersCount,Users`,
    );
    expect(Object.keys(principal?.Users[0] ?? {}).join()).toBe(
      `ID,Username,${Object.keys(userFields)},State,CreatedAt,UpdatedAt,PasswordChangedAt,LastLoginAt`,
    );
    expect(principal).toMatchObject({ State: 'active', UsersCount: 4 });
    expect(principal?.Users.map((user) => user.Username)).toEqual([
      'Nicolò.Bini',
      "o'neil",
      'back\\slash',
      'qq_zz',
    ]);
    expect(text).not.toMatch(/argon2|"PasswordHash|"password|correct horse/);
  });

  it('has the field values that were inserted', async () => {
    const { body } = await list({ ID: ids.caffe });
    expect(body.result?.records[0]).toMatchObject({ ...records[0], Surname: null, Users: [] });
    expect(body).toMatchObject({ statusCode: 200, errorCode: null, message: null, debug: null });
    expect(body.result).toMatchObject({ totalCount: 1, totalPages: 1, page: 1, count: 1, record: null });
  });
});

describe('the parameter UsersShown of irs/list', () => {
  it('limits the users listed with a principal, but not their count', async () => {
    const shown = async (UsersShown: number | null) => {
      const { body } = await list({ ID: ids.owner, UsersShown });
      return body.result?.records.map(({ Users, UsersCount }) => [Users.length, UsersCount]);
    };
    expect(await shown(0)).toEqual([[0, 4]]);
    expect(await shown(2)).toEqual([[2, 4]]);
    expect(await shown(null)).toEqual([[4, 4]]);
  });

  it.each([-1, 1001, 1.5, '0'])('is refused if it is %s', async (UsersShown) => {
    const { status, body } = await service.call('irs/list', { UsersShown });
    expect([status, body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
  });
});

describe('the filters of irs/list', () => {
  it('find a principal by its ExternalKey, including the longest possible', async () => {
    expect((await list({ ExternalKey: 'C-1001' })).found).toEqual([ids.caffe]);
    expect((await list({ ExternalKey: '🦊'.repeat(128) })).found).toEqual([ids.angelo]);
    expect((await list({ ExternalKey: 'c-1001' })).found).toEqual([]);
  });

  it('are combined with AND', async () => {
    expect((await list({ ID: ids.caffe, ExternalKey: 'C-1001', Search: 'peru' })).found).toEqual([ids.caffe]);
    expect((await list({ ID: ids.rossi, ExternalKey: 'C-1001' })).found).toEqual([]);
  });

  it('are ignored if they are null or if the body is missing', async () => {
    const all = Object.values(ids);
    const none = { Page: null, PageSize: null, Date: null, ID: null, Search: null, Unknown: null };
    expect((await list(none)).found).toEqual(all);
    const response = await fetch(`${service.url}/api/sync/v1/irs/list`, { method: 'POST' });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ result: { totalCount: all.length } });
  });
});

describe('the parameter Search of irs/list', () => {
  it.each([
    ['the beginning of a word', 'caff', ['caffe']],
    ['a word without its accents, in any case', 'PERU', ['caffe']],
    ['a decomposed accent', 'Caffe\u0300', ['caffe']],
    ['wide letters', 'ｃａｆｆｅ', ['caffe']],
    ['several words in any order', 'per soc CAF', ['caffe']],
    ['words of several fields', 'niccolo angelo', ['angelo']],
    ['an apostrophe', "d'ang", ['angelo']],
    ['signs between words', 'rossi & figli (import', ['rossi']],
    ['an external key', 'C-1001', ['caffe']],
    ['a tax or VAT number', 'it0123', ['rossi']],
    ['a VAT number without its country', '01234567', ['rossi']],
    ['a VAT number with separators', 'IT 0123-4567 890', ['rossi']],
    ['a VAT number that is stored with separators', 'fr98765432109', ['cotone']],
    ['a VAT number that is stored with separators, without its country', '98765', ['cotone']],
    ['an email', 'info@caffe', ['caffe']],
    ['a percent sign beside a word', '100% cot', ['cotone']],
    ['another script', '東京', ['tokyo']],
    ['the middle of a word: nothing', 'affè', []],
    ['one word that fits and one that does not: nothing', 'caffè rossi', []],
    ['a username', 'NICOLÒ.B', ['owner']],
    ['a username with a decomposed accent', 'nicolo\u0300.b', ['owner']],
    ['a username in wide letters', 'ｎｉｃｏｌò．ｂ', ['owner']],
    ['a username with an apostrophe', "o'n", ['owner']],
    ['a username with a backslash', 'back\\', ['owner']],
    ['an underscore as itself', 'qq_', ['owner']],
    ['an underscore as no other letter', 'q__', []],
    ['a percent sign as itself: nothing', 'qq%', []],
  ])('finds principals by %s', async (_, text, expected) => {
    expect(await search(text)).toEqual(expected);
  });

  it.each(`' '' "" \\ \\\\ : :* * & | ! ( ) () % _ <-> $$ -- ';`.split(' '))(
    'treats %s as plain text, alone and with a word',
    async (sign) => {
      expect(await search(sign)).toEqual([]);
      expect((await list({ Search: `caffè${sign}` })).status).toBe(200);
      expect(await search(`${sign} caffè`)).toEqual(['caffe']);
    },
  );

  it('answers 200 or 400 for any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 90 }), async (text) => {
        const good = text.trim() !== '' && !text.includes('\0');
        expect((await list({ Search: text })).status).toBe(good ? 200 : 400);
      }),
      runs(50),
    );
  });
});

describe('the parameter Date of irs/list', () => {
  it('finds principals that changed since that time, also by a reset or registration of a user', async () => {
    const owner = (await list({ ID: ids.owner })).body.result?.records[0];
    const since = (await databaseTime(service.database)).toISOString();
    expect((await list({ Date: since })).found).toEqual([]);
    const reset = { ID: owner?.Users[0]?.ID, Password: 'a new sentence', ConfirmPassword: 'a new sentence' };
    await service.call('irs/update', [{ ID: ids.owner, Users: [reset] }]);
    expect((await list({ Date: since })).found).toEqual([ids.owner]);
    await service.call('irs/update', [{ ID: ids.rossi, Users: [newUser('since')] }]);
    expect((await list({ Date: since })).found).toEqual([ids.rossi, ids.owner]);
  });

  it('is inclusive, so that the last UpdatedAt can be sent back', async () => {
    const rossi = (await list({ ID: ids.rossi })).body.result?.records[0];
    expect((await list({ Date: rossi?.UpdatedAt })).found).toContain(ids.rossi);
  });

  it.each(
    '2020-01-31 2020-01-31T08:00 2020-01-31T08:00:00.123Z 2020-02-29T23:59:59+01:00 0001-01-01'.split(' '),
  )('may be written as %s', async (date) => {
    expect((await list({ Date: date })).found).toEqual(Object.values(ids));
  });
});

describe('an invalid parameter of irs/list', () => {
  it.each([
    ['Page', [0, -1, 1.5, '1', true, 2 ** 53, []]],
    ['PageSize', [0, 1001, '100']],
    ['Date', ['yesterday', '2026-13-01', '2026-02-30', '2026-01-01T25:00', '2026', 20260101, '']],
    ['ID', [0, -1, '7', 1.5]],
    ['ExternalKey', ['', ' ', 7, 'x'.repeat(129)]],
    ['Search', ['', '   ', 7, 'x'.repeat(201), 'nul\0', {}]],
    ['Username', ['mario']],
    ['page', [1]],
    ['Limit', [10, false, 0, '']],
  ])('gets 400 with its name: %s', async (name, values) => {
    for (const value of values) {
      const { status, body } = await list({ [name]: value });
      expect([name, value, status]).toEqual([name, value, 400]);
      expect(body).toMatchObject({ errorCode: 'INVALID_PARAMETER', result: null });
      expect(body.message).toContain(`"${name}"`);
    }
  });

  it.each([[[]], ['text'], [7], [[{}]]])(
    'gets INVALID_BODY if the body is not an object: %o',
    async (body) => {
      expect((await list(body)).body).toMatchObject({ statusCode: 400, errorCode: 'INVALID_BODY' });
    },
  );
});

describe('the pages of irs/list', () => {
  it('are empty beyond the end, with correct totals', async () => {
    const totalCount = Object.keys(ids).length;
    for (const Page of [3, 1000, Number.MAX_SAFE_INTEGER]) {
      for (const filter of [{}, { Date: '2020-01-01' }]) {
        const { status, body } = await list({ Page, PageSize: 3, ...filter });
        expect(status).toBe(200);
        expect(body.result).toEqual({
          totalCount,
          totalPages: 2,
          page: Page,
          count: 0,
          records: [],
          record: null,
        });
      }
    }
  });

  it('equal those of a plain query at any depth, across gaps and blocks of IDs', async () => {
    const many = await startTestService();
    await many.database.query(`
      with added as (
        insert into anagrafe.principals (id, denomination, search_terms)
        select 5000 + n * 3 + n % 7 + case when n > 12000 then 50000 else 0 end, 'Bulk ' || n, ''::tsvector
          from generate_series(1, 20000) as n where n % 11 <> 0
        on conflict do nothing returning id)
      insert into anagrafe.row_counts (kind, block, slot, amount)
      select 'principals', id >> 12, 99, count(*) from added group by id >> 12`);
    const all = await many.database.query<{ id: number }>('select id from anagrafe.principals order by id');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1000 }), fc.nat({ max: 105 }), async (PageSize, percent) => {
        const totalPages = Math.ceil(all.length / PageSize);
        const Page = Math.max(1, Math.round((totalPages * percent) / 100));
        const { body, found } = await list({ Page, PageSize }, many);
        const expected = all.slice((Page - 1) * PageSize, Page * PageSize).map((row) => row.id);
        expect(found).toEqual(expected);
        expect(body.result).toMatchObject({
          totalCount: all.length,
          totalPages,
          page: Page,
          count: expected.length,
        });
      }),
      runs(25),
    );
    const unasked = await list({}, many);
    expect(unasked.body.result).toMatchObject({ page: 1, count: 100 });
    expect((await insertPrincipals(many, 1))[0]).toBeGreaterThan(0);
  });
});
