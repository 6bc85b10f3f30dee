import { describe, expect, it } from 'vitest';
import { compileRequestSchema } from '../../src/http/validation.ts';
import { ApiError } from '../../src/lib/field-errors.ts';
import { PrincipalFilter, UserFilter } from '../../src/records/read/listing.schemas.ts';
import { type ListFilter, type Listing, listingOf } from '../../src/records/read/listing.ts';

/** Returns a function that validates a body by the schema of a route, and throws the `ApiError` of an invalid one. */
function readerOf(schema: unknown): (body: unknown) => Listing {
  const validate = compileRequestSchema({ schema, method: 'POST', url: '/', httpPart: 'body' });
  return (body) => {
    const { error, value } = validate(body) as { error?: Error; value: ListFilter };
    if (error) throw error;
    return listingOf(value, null);
  };
}

const readPrincipalListing = readerOf(PrincipalFilter);
const readUserListing = readerOf(UserFilter);

/** Returns the code, the variant and the parameter name of the `ApiError`, or null if the body is accepted. */
function refusal(body: unknown, read = readPrincipalListing): unknown {
  try {
    read(body);
  } catch (error) {
    if (error instanceof ApiError)
      return [error.detail.code, error.detail.variant, error.detail.figures?.name];
    throw error;
  }
  return null;
}

describe('the parameters of a list', () => {
  it('default to the first page of 100 without filters', () => {
    const all = {
      page: 1,
      pageSize: 100,
      since: null,
      principalId: null,
      externalKey: null,
      tags: null,
      callerTags: null,
      search: null,
      usernameKeys: null,
      email: null,
      nameTerms: null,
      state: null,
      neverSignedIn: false,
      afterId: null,
      userId: null,
      sort: 'ID',
      own: null,
      usersShown: 1000,
    };
    for (const body of [{}, { Page: null, Search: null, Unknown: null }]) {
      expect(readPrincipalListing(body)).toEqual(all);
      expect(readUserListing(body)).toEqual(all);
    }
  });

  it('are taken from the body', () => {
    const body = { Page: 3, PageSize: 1000, ID: 7, ExternalKey: ' C-1 ', Search: ' Caffè DEL porto ' };
    expect(readPrincipalListing(body)).toMatchObject({
      page: 3,
      pageSize: 1000,
      principalId: 7,
      externalKey: ' C-1 ',
      search: { terms: ['caffe', 'del', 'porto'] },
    });
  });

  it('map a username to its key, and an invalid username to an empty key', () => {
    expect(readUserListing({ Username: 'ＭARIO' }).usernameKeys).toEqual(['mario']);
    expect(readUserListing({ Username: 'NICOLO\u0300' }).usernameKeys).toEqual(['nicolò']);
    expect(readUserListing({ Username: ' mario' }).usernameKeys).toEqual(['']);
    expect(readUserListing({ Username: '♚' }).usernameKeys).toEqual(['']);
  });

  it('accept up to 100 usernames', () => {
    expect(readUserListing({ Usernames: ['ＭARIO', '♚'] }).usernameKeys).toEqual(['mario', '']);
    const many = Array.from({ length: 101 }, (_, n) => `user ${n}`);
    expect(readUserListing({ Usernames: many.slice(1) }).usernameKeys).toHaveLength(100);
    for (const wrong of [many, [], 'mario', ['mario', ''], [7], ['x'.repeat(129)]])
      expect(refusal({ Usernames: wrong }, readUserListing)).toEqual([
        'INVALID_PARAMETER',
        'texts',
        'Usernames',
      ]);
  });

  it('search usernames by a prefix of the mapped form', () => {
    expect(readUserListing({ Search: ' MARIO.r ' }).search?.usernamePrefix).toBe('mario.r');
    expect(readUserListing({ Search: 'ＭＡＲＩＯ' }).search?.usernamePrefix).toBe('mario');
    expect(readUserListing({ Search: 'nicolo\u0300' }).search?.usernamePrefix).toBe('nicolò');
    expect(readUserListing({ Search: '♚' }).search?.usernamePrefix).toBe('♚');
  });

  it.each([
    ['Page', [0, -1, 1.5, '1', 2 ** 53, true, []], 'number'],
    ['PageSize', [0, 1001, '5'], 'number'],
    ['ID', [0, '7', -1], 'number'],
    ['ExternalKey', ['', '  ', 7, 'x'.repeat(129), 'a\0'], 'text'],
    ['Search', ['', '\t', 7, 'x'.repeat(201), 'a\0'], 'text'],
    ['Limit', [1, '', false], 'unknown'],
    ['Username', ['mario'], 'unknown'],
    ['date', ['2026-01-01'], 'spelling'],
  ])('are refused by name: %s', (name, values, variant) => {
    for (const value of values) {
      expect(refusal({ [name]: value })).toEqual(['INVALID_PARAMETER', variant, name]);
    }
  });

  it('may be as long as stored values, counted in characters', () => {
    expect(readPrincipalListing({ ExternalKey: '🦊'.repeat(128) }).externalKey).toBe('🦊'.repeat(128));
    expect(readUserListing({ Username: 'e\u0301'.repeat(128) }).usernameKeys).toEqual(['é'.repeat(128)]);
    expect(readUserListing({ Username: '𐐨'.repeat(128) }).usernameKeys).toEqual(['𐐨'.repeat(128)]);
    expect(refusal({ Username: 'x'.repeat(10_000) }, readUserListing)).toEqual([
      'INVALID_PARAMETER',
      'text',
      'Username',
    ]);
  });

  it('must be an object', () => {
    for (const body of [[], 'text', 7, true])
      expect(refusal(body)).toEqual(['INVALID_BODY', 'object', undefined]);
  });
});

describe('the parameter Date', () => {
  const read = (text: string) => readPrincipalListing({ Date: text }).since?.toISOString();

  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-01-31T08:00', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00:01', '2026-01-31T08:00:01.000Z'],
    ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00:00.5Z', '2026-01-31T08:00:00.500Z'],
    ['2026-01-31T08:00:00.123456789Z', '2026-01-31T08:00:00.123Z'],
    ['2026-01-31T08:00:00+02:00', '2026-01-31T06:00:00.000Z'],
    ['2026-01-31T08:00:00-0530', '2026-01-31T13:30:00.000Z'],
  ])('%s is read as %s', (text, moment) => {
    expect(read(text)).toBe(moment);
  });

  it.each([
    'yesterday',
    '2026',
    '2026-01',
    '2026-1-1',
    '31/01/2026',
    '2026-13-01',
    '2026-00-10',
    '2026-01-32',
    '2026-02-30',
    '2025-02-29',
    '2026-04-31T08:00:00Z',
    '2026-01-31T25:00',
    '2026-01-31T08:61',
    '2026-01-31 08:00',
    '2026-01-31Z',
    '2026-01-31T08:00:00+25:00',
    '-2026-01-31',
    '',
    20260131,
    {},
  ])('%o is refused', (value) => {
    expect(refusal({ Date: value })).toEqual(['INVALID_PARAMETER', 'date', 'Date']);
  });
});
