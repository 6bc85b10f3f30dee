import { readDocument, type Validate } from '@anagrafe/testing/openapi';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

interface Operation {
  requestBody?: { content: Record<string, MediaType> };
}

interface MediaType {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
  schema: { $ref?: string };
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { examples?: unknown[] }> };
}

const base = '/api/sync/v1/';

let service: TestService;
let validate: Validate;
let document: Document;
let principal: number;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_MAX_RECORDS: '20' });
  ({ document, validate } = await readDocument<Document>(service));
  [principal = 0] = await insertPrincipals(service, 1);
  await service.call('irs/insert', [{ ExternalKey: 'taken' }]);
});

function answerSchema(path: string, status: number) {
  return ['paths', base + path, 'post', 'responses', status, 'content', 'application/json', 'schema'];
}

function requestSchema(path: string) {
  return ['paths', base + path, 'post', 'requestBody', 'content', 'application/json', 'schema'];
}

/** Returns the examples of a body and those of the named schema that it refers to. */
function examplesOf(content: MediaType | undefined): unknown[] {
  const name = content?.schema.$ref?.split('/').at(-1) ?? '';
  return [
    content?.example,
    ...Object.values(content?.examples ?? {}).map(({ value }) => value),
    ...(document.components.schemas[name]?.examples ?? []),
  ].filter((value) => value !== undefined);
}

const good = (name: string) => ({ ID: principal, Users: [newUser(name, { Email: 'a@example.com' })] });
const missing = { ID: 999_999, Users: [newUser('missing')] };
const crooked = {
  ID: '7',
  Extra: 1,
  Users: [{ ID: 0, Username: 'x' }, {}, 'nobody', { Username: ' ', Password: 'x' }],
};

/** Calls with the status that each must get. */
const calls: [
  path: string,
  status: number,
  about: string,
  body: () => unknown,
  headers?: Record<string, string>,
][] = [
  ['irs/update', 200, 'a registration', () => [good('one')]],
  ['irs/update', 200, 'a representation', () => [good('two')], { Prefer: 'return=representation' }],
  ['irs/update', 207, 'a call applied in part', () => [good('three'), missing, crooked]],
  ['irs/update', 422, 'a call of which nothing was applied', () => [missing, crooked]],
  ['irs/update', 400, 'a body that is not an array', () => ({})],
  ['irs/update', 413, 'too many records', () => Array(21).fill(missing)],
  ['irs/update', 415, 'another content type', () => [], { 'content-type': 'text/plain' }],
  ['irs/update', 401, 'a wrong credential', () => [], { SyncPublicKey: 'nobody', SyncSecretKey: 'nothing' }],
  [
    'irs/insert',
    200,
    'new principals',
    () => [{ ExternalKey: 'new' }, { Name: 'N', Users: [newUser('four')] }],
  ],
  ['irs/insert', 207, 'an insert applied in part', () => [{ ExternalKey: 'taken' }, { ExternalKey: 'L' }]],
  [
    'irs/update',
    200,
    'an edit',
    () => [
      { ID: principal, Denomination: 'Edited', Users: [{ Operation: 'edit', Username: 'one', Phone: '1' }] },
    ],
    { Prefer: 'return=representation' },
  ],
  [
    'irs/update',
    422,
    'a failed record with an external key',
    () => [{ ExternalKey: 'none', State: 'active' }],
  ],
  [
    'irs/delete',
    200,
    'deleted users',
    () => [{ ID: principal, Users: [{ Username: 'two' }] }],
    { Prefer: 'return=representation' },
  ],
  ['irs/insert', 422, 'an insert of which nothing was applied', () => [{}, { ID: 1, Email: '' }]],
  ['irs/insert', 400, 'an empty array', () => []],
  ['irs/list', 200, 'a page of principals', () => ({ PageSize: 1000 })],
  ['irs/list', 200, 'an empty page', () => ({ ID: 999_999 })],
  ['irs/list', 400, 'a wrong parameter', () => ({ Page: 0 })],
  ['irs/users', 200, 'a page of users', () => ({})],
  ['irs/users', 400, 'an unknown parameter', () => ({ Limit: 1 })],
];

describe('/openapi.json', () => {
  it('is an OpenAPI 3.1 document of every call', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    for (const path of ['irs/update', 'irs/insert', 'irs/list', 'irs/users']) {
      expect(Object.keys(document.paths[base + path] ?? {})).toContain('post');
    }
  });

  it.each(calls)('%s %i: matches the answer for %s', async (path, status, _about, body, headers = {}) => {
    for (const query of ['', '?debug=true']) {
      const answer = await service.call(path + query, body(), { headers });
      // The status differs on the second call, because usernames of the first call are taken.
      if (query === '') expect(answer.status).toBe(status);
      expect(validate(answerSchema(path, answer.status), answer.body)).toEqual([]);
    }
  });

  it('does not match an answer with an extra field, a missing field or a field of another type', async () => {
    const { body } = await service.call('irs/update', [missing]);
    const schema = answerSchema('irs/update', 422);
    const { debug: _, ...less } = body;
    expect(validate(schema, body)).toEqual([]);
    expect(validate(schema, less)).not.toEqual([]);
    expect(validate(schema, { ...body, more: null })).not.toEqual([]);
    expect(validate(schema, { ...body, errorCode: 'NO_SUCH_CODE' })).not.toEqual([]);
    expect(validate(schema, { ...body, result: { ...body.result, totalCount: '1' } })).not.toEqual([]);
    const records = body.result?.records.map((tuple) => ({ ...tuple, Item6: { Extra: 1 } }));
    expect(validate(schema, { ...body, result: { ...body.result, records } })).not.toEqual([]);
  });

  it('has examples that match its schemas and that the service accepts', async () => {
    // The examples use the principal with ID 1 and its first user.
    const fresh = await startTestService();
    await insertPrincipals(fresh, 1);
    for (const path of ['irs/update', 'irs/insert', 'irs/upsert', 'irs/list', 'irs/users', 'irs/delete']) {
      const content = document.paths[base + path]?.post?.requestBody?.content['application/json'];
      const examples = examplesOf(content);
      expect(examples.length).toBeGreaterThan(0);
      for (const value of examples) {
        expect(validate(requestSchema(path), value)).toEqual([]);
        expect((await fresh.call(path, value)).status).toBe(200);
      }
    }
  });

  it.each<[string, unknown]>([
    ['irs/update', [{ ID: 1, Users: [{ ...newUser('nulls'), Email: null, ID: null }] }]],
    [
      'irs/update',
      [{ ID: 1, Users: [{ ID: 1, Username: null, Password: 'abcdefgh', ConfirmPassword: 'abcdefgh' }] }],
    ],
    ['irs/update', [{ ID: 1, Denomination: '', NewExternalKey: 'x', State: 'disabled', Users: null }]],
    [
      'irs/update',
      [
        {
          ExternalKey: 'x',
          Users: [
            { Operation: 'edit', Username: 'x', NewUsername: 'y', Email: '', Phone: null, State: 'active' },
            { Operation: 'edit', ID: 7, Attributes: {} },
            { Operation: 'delete', ID: 7 },
            { Operation: 'reset', Username: 'x', Password: 'abcdefgh', ConfirmPassword: 'abcdefgh' },
            { Operation: 'reset', ID: 7, PasswordHash: 'x' },
            { ...newUser('x'), Operation: 'register' },
          ],
        },
      ],
    ],
    ['irs/state', [{ ExternalKey: 'x', Users: [{ Username: 'x', State: 'active' }] }]],
    ['irs/state', [{ ID: 1, State: 'disabled' }]],
    ['irs/delete', [{ ID: 1 }, { ExternalKey: 'x', Users: [{ ID: 7 }, { Username: 'x' }] }]],
    ['irs/insert', [{ Denomination: 'D', Surname: null, Users: null }]],
    ['irs/insert', [{ Email: 'a@example.com', Users: [] }]],
    [
      'irs/list',
      { Page: null, PageSize: 1000, Date: '2026-01-31', ID: null, ExternalKey: null, Search: 'a' },
    ],
    ['irs/users', { Username: 'mario', Page: 2 }],
    ['irs/users', { Username: null, Usernames: ['mario'] }],
  ])('%s: allows every body that the service accepts, including null for absent fields', (path, body) => {
    expect(validate(requestSchema(path), body)).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['irs/update', []],
    ['irs/update', [{ ID: 1, Users: [] }]],
    ['irs/update', [{ ID: 1, Users: [newUser('both', { ID: 1 })] }]],
    ['irs/update', [{ ID: 1 }]],
    ['irs/update', [{ ID: 1, Users: [{ Operation: 'edit', ID: 1, Username: 'x' }] }]],
    ['irs/update', [{ ID: 1, Users: [{ Operation: 'edit', Phone: 'x' }] }]],
    ['irs/update', [{ ID: 1, Users: [{ Operation: 'delete', ID: 1, Phone: 'x' }] }]],
    ['irs/update', [{ ID: 1, Users: [{ Operation: 'remove', ID: 1 }] }]],
    ['irs/delete', [{ ID: 1, Users: [] }]],
    ['irs/delete', [{ ID: 1, State: 'disabled' }]],
    ['irs/state', [{ ID: 1, ExternalKey: 'x', State: 'active' }]],
    ['irs/update', [{ ID: 1, Users: [newUser('more', { More: 1 })] }]],
    ['irs/update', [{ ID: '1', Users: [newUser('text')] }]],
    ['irs/insert', [{}]],
    ['irs/insert', [{ Denomination: 'D', Nickname: 'N' }]],
    ['irs/list', { PageSize: 1001 }],
    ['irs/users', { Limit: 1 }],
    ['irs/users', { Username: 'mario', Usernames: ['anna'] }],
  ])('%s: does not allow a body that the service refuses', (path, body) => {
    expect(validate(requestSchema(path), body)).not.toEqual([]);
  });
});

it('the document describes every operation, and the items of every array', () => {
  const lacking: string[] = [];
  const visit = (value: unknown, place: string) => {
    if (typeof value !== 'object' || value === null) return;
    if ('operationId' in value && !('description' in value)) lacking.push(place);
    if ('type' in value && value.type === 'array' && !('items' in value)) lacking.push(place);
    for (const [name, child] of Object.entries(value)) visit(child, `${place}/${name}`);
  };
  visit(document, '#');
  expect(lacking).toEqual([]);
});
