import type { ExportedPrincipal, Principal } from '@anagrafe/client';
import { principalFields, userFields } from '@anagrafe/client';
import { credential } from '@anagrafe/testing/admin';
import { getText, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';

const path = '/api/sync/v1/irs/export';
let service: TestService;

/** Values that a CSV has to quote, and one that a spreadsheet takes for a formula. */
const odd = {
  Denomination: '=HYPERLINK("http://example.com","Rossi; & ""Figli""")',
  Surname: ' de Rossi, ',
  Name: "'+1",
  Email: 'info@example.com',
};
const mario = {
  Email: 'mario@example.com',
  Phone: '+39 010 1',
  FirstName: 'Mario',
  LastName: 'Rossi "il Rosso"',
  Language: 'it',
  Attributes: { Department: 'Vendite, "Nord"', Note: '-1' },
};

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_MAX_USERS: '5000' });
  const { status } = await service.call('irs/insert', [
    { ExternalKey: 'C-1', ...odd, Users: [newUser('mario', mario), newUser('anna')] },
    { Denomination: 'Without key', Users: [newUser('ugo')] },
    { ExternalKey: 'C-3', Denomination: 'Without users' },
    { ExternalKey: 'C-4', Denomination: 'Large' },
    { ExternalKey: 'C-5', Denomination: 'Exactly a part' },
    { ExternalKey: 'C-6', Denomination: 'Last' },
  ]);
  expect(status).toBe(200);
  await addUsers('C-4', 2500);
  await addUsers('C-5', 1000);
  await addUsers('C-6', 3);
});

async function addUsers(externalKey: string, count: number): Promise<void> {
  await service.database.query(
    `with principal as (
       update anagrafe.principals set users_count = $2::int where external_key = $1 returning id
     )
     insert into anagrafe.users (principal_id, username, username_key, password_hash)
     select principal.id, $1 || '.' || n, lower($1) || '.' || n, 'no hash' from principal, generate_series(1, $2::int) as n`,
    [externalKey, count],
  );
}

async function lines(query = '', headers: Record<string, string> = {}): Promise<ExportedPrincipal[]> {
  const { status, text } = await getText(service, path + query, headers);
  expect(status).toBe(200);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

async function table(query = '', headers: Record<string, string> = {}): Promise<Record<string, string>[]> {
  const { status, text } = await getText(service, path + query, { accept: 'text/csv', ...headers });
  expect(status).toBe(200);
  return parse(text, { columns: true, bom: true });
}

describe('an export as NDJSON', () => {
  it('has the principals and users of irs/list, in the order of IDs', async () => {
    const { body } = await service.call<Principal>('irs/list', {});
    const merged: ExportedPrincipal[] = [];
    for (const line of await lines()) {
      const last = merged.at(-1);
      if (last?.ID === line.ID) last.Users.push(...line.Users);
      else merged.push(line);
    }
    const listed = body.result?.records ?? [];
    expect(merged.map(({ Users, ...principal }) => principal)).toEqual(
      listed.map(({ Users, ...principal }) => principal),
    );
    // irs/list has the first 1,000 users of each principal.
    expect(merged.map(({ Users }) => Users.slice(0, 1000))).toEqual(listed.map(({ Users }) => Users));
    expect(merged.map(({ Users }) => Users.length)).toEqual([2, 1, 0, 2500, 1000, 3]);
  });

  it('continues a principal with more than 1,000 users on further lines', async () => {
    const found = (await lines()).map(({ ExternalKey, Users }) => [ExternalKey, Users.length]);
    expect(found).toEqual([
      ['C-1', 2],
      [null, 1],
      ['C-3', 0],
      ['C-4', 1000],
      ['C-4', 1000],
      ['C-4', 500],
      ['C-5', 1000],
      ['C-6', 3],
    ]);
  });

  it('has one principal if an ID or an external key is given, and none if that is unknown', async () => {
    expect((await lines('?id=2')).map(({ Denomination }) => Denomination)).toEqual(['Without key']);
    expect((await lines('?externalKey=C-4')).map(({ Users }) => Users.length)).toEqual([1000, 1000, 500]);
    expect(await lines('?externalKey=C-6&id=6')).toHaveLength(1);
    for (const query of ['?id=999', '?externalKey=c-6', '?externalKey=C-6&id=1'])
      expect(await lines(query)).toEqual([]);
  });

  it('is a file that caches must not store', async () => {
    const { headers } = await getText(service, `${path}?id=1`);
    expect(headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': 'attachment; filename="anagrafe.ndjson"',
      'cache-control': 'no-store',
      vary: 'Accept',
    });
  });
});

describe('an export as CSV', () => {
  it('has a row for each user, and one for a principal without users', async () => {
    const rows = await table();
    expect(rows).toHaveLength(2 + 1 + 1 + 2500 + 1000 + 3);
    expect(rows[0]).toEqual({
      ...Object.fromEntries(
        [...Object.keys(principalFields), ...Object.keys(userFields)].map((name) => [name, '']),
      ),
      ...odd,
      ID: '',
      ExternalKey: 'C-1',
      PrincipalEmail: odd.Email,
      PrincipalState: 'active',
      Username: 'mario',
      ...mario,
      Attributes: expect.any(String),
      State: 'active',
    });
    expect(JSON.parse(rows[0]?.Attributes ?? '')).toEqual(mario.Attributes);
    expect(rows[1]).toMatchObject({ ExternalKey: 'C-1', Username: 'anna', Email: '', Attributes: '' });
    expect(rows[3]).toMatchObject({ ExternalKey: 'C-3', Username: '', Email: '', State: '' });
  });

  it('names a principal without an external key by its ID', async () => {
    expect((await table('?id=2'))[0]).toMatchObject({ ID: '2', ExternalKey: '', Username: 'ugo' });
  });

  it('begins with a byte order mark, and has lines that end with CRLF', async () => {
    const fileOf = async (query: string) => {
      const response = await fetch(`${service.url}${path}?format=csv&${query}`);
      expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      // `text()` would remove the mark.
      return Buffer.from(await response.arrayBuffer()).toString();
    };
    expect(await fileOf('id=2')).toMatch(/^\ufeffID,ExternalKey,[^\r\n]+\r\n[^\r\n]+\r\n$/);
    expect(await fileOf('id=999')).toMatch(/^\ufeffID,ExternalKey,[^\r\n]+\r\n$/);
  });
});

describe('an export for spreadsheets', () => {
  it('is the CSV with an apostrophe before each value that a spreadsheet would run as a formula', async () => {
    const [[plain], [safe]] = [await table('?id=1&format=csv'), await table('?id=1&format=spreadsheet')];
    expect(plain).toMatchObject({ Denomination: odd.Denomination, Phone: mario.Phone });
    expect(safe).toEqual({ ...plain, Denomination: `'${odd.Denomination}`, Phone: `'${mario.Phone}` });
  });

  it.each(['=1', '+1', '-1', '@SUM(1)', ' =1', '\t1', '\r1', '\uff1d1'])('escapes %j', async (value) => {
    await service.database.query(`update anagrafe.users set last_name = $1 where username = 'ugo'`, [value]);
    expect((await table('?id=2&format=spreadsheet'))[0]?.LastName).toBe(`'${value}`);
  });

  it('is a CSV file with a name of its own', async () => {
    const { headers } = await getText(service, `${path}?id=1&format=spreadsheet`);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toBe('attachment; filename="anagrafe-spreadsheet.csv"');
  });
});

describe('the format of an export', () => {
  it.each([
    ['text/csv', 'csv'],
    ['application/x-ndjson', 'ndjson'],
    ['*/*', 'ndjson'],
    ['text/csv;q=0.5, application/x-ndjson', 'ndjson'],
    ['application/x-ndjson;q=0.5, TEXT/CSV', 'csv'],
    ['text/csv;q=0', 'ndjson'],
    ['text/html,application/xml;q=0.9,*/*;q=0.8', 'ndjson'],
    ['text/*', 'csv'],
    ['application/json', 'ndjson'],
    ['', 'ndjson'],
  ])('follows Accept unless the parameter format is given: "%s" gets %s', async (accept, format) => {
    const { headers } = await getText(service, `${path}?id=2`, { accept });
    expect(headers['content-disposition']).toContain(`anagrafe.${format}`);
    const named = await getText(service, `${path}?id=2&format=ndjson`, { accept });
    expect(named.headers['content-disposition']).toContain('anagrafe.ndjson');
  });
});

describe('an invalid request to irs/export', () => {
  it.each(['?id=0', '?id=x', '?externalKey=', '?format=xlsx', '?hashes=yes', '?ID=1'])(
    'gets 400 with the name of the parameter: %s',
    async (query) => {
      const { status, text } = await getText(service, path + query);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ errorCode: 'INVALID_PARAMETER', result: null });
    },
  );

  it('gets 405 for other methods, also for HEAD, which would run the export', async () => {
    for (const method of ['HEAD', 'POST']) {
      const response = await fetch(service.url + path, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET']);
    }
  });
});

describe('an export', () => {
  it('contains password hashes only with hashes=true', async () => {
    const { text } = await getText(service, path);
    expect(text).not.toMatch(/argon2|no hash|PasswordHash/);
    const [first] = await lines('?id=1&hashes=true');
    expect(first?.Users.map((user) => user.PasswordHash)).toEqual([
      expect.stringMatching(/^\$argon2id\$/),
      expect.stringMatching(/^\$argon2id\$/),
    ]);
    expect((await table('?id=1&hashes=true'))[0]?.PasswordHash).toBe(first?.Users[0]?.PasswordHash);
  });
});

// The last tests: after the first API client exists, every call needs a credential.
describe('irs/export', () => {
  it('requires the scope sync:read, and admin for password hashes', async () => {
    const reader = await credential(service, { name: 'reader', scopes: ['sync:read'] });
    const writer = await credential(service, { name: 'writer', scopes: ['sync:write'] });
    const admin = await credential(service, { name: 'admin', scopes: ['admin'] });
    const statusOf = async (query: string, headers: Record<string, string>) =>
      (await getText(service, `${path}?id=3${query}`, headers)).status;
    expect(await statusOf('', reader)).toBe(200);
    expect(await statusOf('&hashes=true', reader)).toBe(403);
    expect(await statusOf('', writer)).toBe(403);
    expect(await statusOf('&hashes=true', admin)).toBe(200);
    expect(await statusOf('', {})).toBe(401);
  });

  it('writes the format and the option hashes to the audit log, and no external key', async () => {
    const admin = await credential(service, { name: 'second' });
    await getText(service, `${path}?id=3&hashes=true`, admin);
    await getText(service, `${path}?externalKey=C-3&format=csv`, admin);
    await getText(service, path, admin);
    const rows = await service.database.query<{ principalId: number | null; details: unknown }>(
      `select principal_id as "principalId", details from anagrafe.audit_log
        where action = 'records.exported' order by id desc limit 3`,
    );
    expect(rows.toReversed()).toEqual([
      { principalId: 3, details: { format: 'ndjson', hashes: true, all: false } },
      { principalId: 3, details: { format: 'csv', hashes: false, all: false } },
      { principalId: null, details: { format: 'ndjson', hashes: false, all: true } },
    ]);
  });
});
