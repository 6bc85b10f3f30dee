import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Client, request } from 'undici';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codes } from '../../src/core/codes.ts';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Tuple } from '../../src/http/tuple.ts';
import { insertPrincipals, newUser, startTestService, type TestService } from '../setup/service.ts';
import { headOf, openWire, sendRaw } from './wire.ts';

const smallLimit = 65_536;
const firstClient = `first.${'s'.repeat(40)}`;

let service: TestService;
/** The same with a small limit of bytes, so that going over it is cheap. */
let small: TestService;
let principal: number;
let user: number;
let before: unknown;
let logged = 0;

beforeAll(async () => {
  service = await startTestService();
  small = await startTestService({ ANAGRAFE_MAX_BODY_BYTES: String(smallLimit) });
  [principal = 0] = await insertPrincipals(service, 1);
  await insertPrincipals(small, 1);
  const answer = await service.call('irs/update', [{ ID: principal, Users: [newUser('present')] }], {
    headers: { prefer: 'return=representation' },
  });
  user = answer.body.result?.records[0]?.Item6.Users?.[0]?.ID ?? 0;
});

beforeEach(async () => {
  before = await stored();
  logged = service.log.length;
});

afterEach(async () => {
  // Whatever a connection that was cut leaves behind has been dealt with after a while.
  await sleep(10);
  expect(await stored()).toEqual(before);
  const troubles = service.log
    .slice(logged)
    .filter((line) => /"level":"(error|fatal)"|"status":5/.test(line));
  expect(troubles).toEqual([]);
});

/** All that is stored, down to the moments of change. */
async function stored(): Promise<unknown> {
  const { database } = service;
  return {
    principals: await database.query('select * from anagrafe.principals order by id'),
    users: await database.query('select * from anagrafe.users order by id'),
    tallies: await database.query(
      'select kind, block, sum(amount)::int as amount from anagrafe.tallies group by 1, 2 order by 1, 2',
    ),
  };
}

interface Sent {
  body?: string | Buffer;
  headers?: Record<string, string>;
  method?: string;
  to?: TestService;
}

interface Received {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** Sends whatever there is to send, without a client's manners. */
async function send(path: string, { body, headers, method = 'POST', to = service }: Sent): Promise<Received> {
  const url = path.startsWith('/') ? to.url + path : `${to.url}/api/sync/v1/${path}`;
  const answer = await request(url, {
    method: method as 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

/** Reads an answer as the envelope, and holds it to its form. */
function readEnvelope(answer: { status: number; text: string }): Envelope<Tuple> {
  const envelope = JSON.parse(answer.text) as Envelope<Tuple>;
  expect(Object.keys(envelope)).toEqual(['statusCode', 'errorCode', 'message', 'result', 'debug']);
  expect(envelope.statusCode).toBe(answer.status);
  expect(answer.status).toBeLessThan(500);
  return envelope;
}

/** The envelope of a call that was refused as a whole. */
function expectRefusal(
  answer: Pick<Received, 'status' | 'text'> | null,
  status: number,
  errorCode: string,
): Envelope<Tuple> {
  expect(answer).not.toBeNull();
  const envelope = readEnvelope(answer ?? { status: 0, text: '' });
  expect([envelope.statusCode, envelope.errorCode]).toEqual([status, errorCode]);
  expect(codes).toHaveProperty(errorCode);
  expect(envelope.result).toBeNull();
  expect(envelope.debug).toBeNull();
  expectSentence(envelope.message);
  return envelope;
}

/** A call that was read well, of which nothing was applied; gives the faults of its only record. */
async function expectFaults(answer: Received, errorCode: string): Promise<[string, string][]> {
  const envelope = readEnvelope(answer);
  expect([envelope.statusCode, envelope.errorCode]).toEqual([422, errorCode]);
  expectSentence(envelope.message);
  expect(envelope.result?.records).toHaveLength(1);
  const tuple = envelope.result?.records[0];
  expect(tuple).toMatchObject({ Item2: errorCode, Item3: false, Item6: {} });
  expectSentence(tuple?.Item4 ?? null);
  const faults = Object.entries(tuple?.Item5 ?? {});
  for (const [, found] of faults) for (const { message } of found) expectSentence(message);
  return faults.flatMap(([place, found]) => found.map(({ code }): [string, string] => [place, code]));
}

function expectSentence(message: string | null): void {
  expect(message).toMatch(/^["A-Z/][^\n]{8,300}$/s);
  expect(message).not.toMatch(/undefined|NaN|\[object|\{\w+\}|\bat .*:\d+:\d+/);
}

const registration = () => ({ ID: principal, Users: [newUser('never.stored')] });
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe.each(['irs/update', 'irs/insert'])('the body of %s', (path) => {
  it.each([
    ['is empty', ''],
    ['is white space', ' \n\t '],
    ['is no JSON', 'ID=1&Users=2'],
    ['breaks off', '[{"ID":1,"Users":['],
    ['goes on after its end', '[{"ID":1}] [2]'],
    ['has a comma too many', '[{"ID":1,}]'],
    ['has a comment', '[{"ID":1} /* one */]'],
    ['has single quotes', "[{'ID':1}]"],
    ['has a line break in a string', '[{"Surname":"a\nb"}]'],
    ['has a bare NUL in a string', '[{"Surname":"a\0b"}]'],
    ['has NaN', '[{"ID":NaN}]'],
    ['has a number with a leading zero', '[{"ID":01}]'],
    ['has a number beyond any double', '[{"ID":1e400}]'],
    ['has a number of ten thousand digits', `[{"ID":${'9'.repeat(10_000)}}]`],
    ['has a field twice in a record', '[{"ID":1,"ID":2,"Users":[]}]'],
    ['has a field twice, once as null', '[{"ID":null,"ID":1,"Users":[]}]'],
    ['has a field twice in a user', '[{"ID":1,"Users":[{"Password":"a","Pass\\u0077ord":"b"}]}]'],
    ['has __proto__ twice', '[{"__proto__":{},"__proto__":{}}]'],
    ['holds the first half of a surrogate pair', '[{"Surname":"\\ud800"}]'],
    ['holds the second half of a surrogate pair', '[{"Surname":"\\udc00"}]'],
    ['holds a surrogate pair the wrong way round', '[{"Surname":"\\udc00\\ud800"}]'],
    ['holds half a surrogate pair in a name', '[{"Surname\\ud83d":"x"}]'],
    ['holds an unknown escape', '[{"Surname":"\\x41"}]'],
    ['is not UTF-8', Buffer.from('[{"Surname":"\xe9"}]', 'latin1')],
    ['holds half a surrogate pair as bytes', Buffer.from('[{"Surname":"\xed\xa0\x80"}]', 'latin1')],
    ['holds an overlong form', Buffer.from('[{"Surname":"\xc0\xaf"}]', 'latin1')],
    ['is UTF-16', Buffer.from('\ufeff[{"Surname":"x"}]', 'utf16le')],
    ['is random bytes', Buffer.from([0, 255, 254, 128, 192, 1, 2, 3])],
    ['is compressed without saying so', gzipSync('[{"Surname":"x"}]')],
    ['has the byte order mark twice', '\ufeff\ufeff[{"Surname":"x"}]'],
  ])('is refused with 400 INVALID_JSON when it %s', async (_, body) => {
    expectRefusal(await send(path, { body }), 400, 'INVALID_JSON');
  });

  it.each([
    ['an object', '{"ID":1,"Users":[]}'],
    ['null', 'null'],
    ['true', 'true'],
    ['a number', '-0'],
    ['a string', '"[]"'],
    ['the empty array', '[]'],
    ['an array that holds null', '[null]'],
    ['an array that holds a number', '[1.5]'],
    ['an array that holds a string', '["{}"]'],
    ['an array that holds an array', '[[{"ID":1}]]'],
  ])('is refused with 400 INVALID_BODY when it is %s', async (_, body) => {
    expectRefusal(await send(path, { body }), 400, 'INVALID_BODY');
  });

  it('is refused as a whole when a later element is no object, and says which', async () => {
    const body = JSON.stringify([registration(), { Surname: 'Rossi' }, 7]);
    const { message } = expectRefusal(await send(path, { body }), 400, 'INVALID_BODY');
    expect(message).toContain('2');
  });

  it.each([
    ['one level too deep', nested(9)],
    ['one level too deep in a field', `[{"ID":1,"Users":${nested(7)}}]`],
    ['a hundred thousand levels deep', nested(100_000)],
    ['a hundred thousand levels deep and cut off', '['.repeat(100_000)],
    ['a hundred thousand objects deep', '{"a":'.repeat(100_000)],
    [
      'made of a million different names',
      `[{${Array.from({ length: 20_000 }, (_, n) => `"f${n}":1`).join()}}]`,
    ],
  ])('is refused with 413 when it is %s', async (_, body) => {
    expectRefusal(await send(path, { body }), 413, 'BODY_TOO_LARGE');
  });

  it('may be nested eight deep: what is wrong then is the record alone', async () => {
    const body = `[{"ID":${principal},"Users":${nested(6)}}]`;
    expect((await send(path, { body })).status).toBe(422);
  });

  it.each([
    ['records', JSON.stringify(Array.from({ length: 1001 }, () => ({ ID: 1 })))],
    ['users', JSON.stringify([{ ID: 1, Users: Array.from({ length: 1001 }, () => ({})) }])],
  ])('is refused with 413 BATCH_TOO_LARGE when it has too many %s, and tells the limit', async (_, body) => {
    const { message } = expectRefusal(await send(path, { body }), 413, 'BATCH_TOO_LARGE');
    expect(message).toContain('1000');
  });

  it.each([
    ['no content type', { 'content-type': '' }],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a kind of JSON with another meaning', { 'content-type': 'application/merge-patch+json' }],
    ['what only begins like JSON', { 'content-type': 'application/jsonp' }],
    ['nonsense for a content type', { 'content-type': ';;;' }],
    ['a Latin charset', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['UTF-16', { 'content-type': 'application/json;charset="utf-16"' }],
    ['gzip', { 'content-encoding': 'gzip' }],
    ['two encodings', { 'content-encoding': 'identity, br' }],
  ])('is refused with 415 when it is sent as %s', async (_, headers) => {
    const body = JSON.stringify([registration()]);
    expectRefusal(await send(path, { body, headers }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('is refused with 415 when no content type stands over it', async () => {
    const body = JSON.stringify([registration()]);
    const head = `POST /api/sync/v1/${path} HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\n`;
    const answer = await sendRaw(
      service.url,
      `${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expectRefusal(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('is refused with 400 when there is none at all', async () => {
    const answer = await sendRaw(
      service.url,
      `POST /api/sync/v1/${path} HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nConnection: close\r\n\r\n`,
    );
    expectRefusal(answer, 400, 'INVALID_BODY');
  });

  it('is refused with 400 when a query parameter is not known, and names it', async () => {
    const body = JSON.stringify([registration()]);
    for (const query of ['dry=true', '__proto__=1', 'Debug=true', '%00=1', 'constructor[prototype]=x']) {
      expectRefusal(await send(`${path}?${query}`, { body }), 400, 'INVALID_PARAMETER');
    }
    for (const query of ['debug=yes', 'debug=true&debug=true', 'debug', 'debug=%zz']) {
      const { message } = expectRefusal(await send(`${path}?${query}`, { body }), 400, 'INVALID_PARAMETER');
      expect(message).toContain('debug');
    }
  });
});

describe('a record of irs/update', () => {
  const update = (record: unknown) => send('irs/update', { body: JSON.stringify([record]) });
  const updateText = (body: string) => send('irs/update', { body });

  it.each([
    ['zero', '0', 0],
    ['minus zero', '-0', 0],
    ['negative', '-1', -1],
    ['a fraction', '1.5', null],
    ['a tiny fraction', '1e-320', null],
    ['2^53', '9007199254740992', null],
    ['2^53 + 1', '9007199254740993', null],
    ['the largest double', '1.7976931348623157e308', null],
    ['a numeric string', '"1"', null],
    ['true', 'true', null],
    ['an array', '[1]', null],
    ['an object', '{"ID":1}', null],
  ])('is refused when its ID is %s', async (_, id, item1) => {
    const answer = await updateText(`[{"ID":${id},"Users":[${JSON.stringify(newUser('never.stored'))}]}]`);
    expect(await expectFaults(answer, 'INVALID_RECORD')).toEqual([['ID', 'INVALID_ID']]);
    expect(readEnvelope(answer).result?.records[0]?.Item1).toBe(item1);
  });

  it.each(['0', '-0', '-1', '1.5', '9007199254740992', '1e300', '"1"', 'true', '[1]', '{}'])(
    'is refused when the ID of a user is %s',
    async (id) => {
      const passwords = '"Password":"correct horse battery","ConfirmPassword":"correct horse battery"';
      const answer = await updateText(`[{"ID":${principal},"Users":[{"ID":${id},${passwords}}]}]`);
      expect(await expectFaults(answer, 'INVALID_USERS')).toEqual([['Users[0].ID', 'INVALID_ID']]);
    },
  );

  it.each([
    ['Username', 'USERNAME_CHARACTERS'],
    ['Email', 'EMAIL_INVALID'],
    ['Password', 'PASSWORD_CHARACTERS'],
    ['ConfirmPassword', 'PASSWORD_MISMATCH'],
  ])('is refused when %s holds NUL', async (field, code) => {
    const user = { ...newUser('never.stored'), Email: 'a@b.it' };
    const spoilt = { ...user, [field]: `${user[field as 'Email']}\0` };
    const faults = await expectFaults(await update({ ID: principal, Users: [spoilt] }), 'INVALID_USERS');
    expect(faults).toContainEqual([`Users[0].${field}`, code]);
  });

  it('is refused when the new password of a reset holds NUL', async () => {
    const Password = 'correct\0horse battery';
    const record = { ID: principal, Users: [{ ID: user, Password, ConfirmPassword: Password }] };
    expect(await expectFaults(await update(record), 'INVALID_USERS')).toEqual([
      ['Users[0].Password', 'PASSWORD_CHARACTERS'],
    ]);
  });

  it.each([1, -0, 1.5, true, [], {}, ['x'], { toString: 'x' }].map((value) => ({ value })))(
    'is refused when the fields of a user are $value instead of strings',
    async ({ value }) => {
      const user = { Username: value, Email: value, Password: value, ConfirmPassword: value };
      const faults = await expectFaults(await update({ ID: principal, Users: [user] }), 'INVALID_USERS');
      expect(faults).toEqual(Object.keys(user).map((field) => [`Users[0].${field}`, 'WRONG_TYPE']));
    },
  );

  it.each([7, 'x', true, null, [], [[]]].map((value) => ({ value })))(
    'is refused when a user is $value',
    async ({ value }) => {
      const faults = await expectFaults(await update({ ID: principal, Users: [value] }), 'INVALID_USERS');
      expect(faults).toEqual([['Users[0]', 'WRONG_TYPE']]);
    },
  );

  it.each([7, 'x', true, {}])('is refused when Users is %j', async (value) => {
    const faults = await expectFaults(await update({ ID: principal, Users: value }), 'INVALID_USERS');
    expect(faults).toEqual([['Users', 'WRONG_TYPE']]);
  });

  it('is refused when it has fields that are not known, in the record and in the user', async () => {
    const record = { ...registration(), Extra: 1, users: [], Users: [{ ...newUser('never.stored'), x: 0 }] };
    const faults = await expectFaults(await update(record), 'INVALID_RECORD');
    expect(faults.sort()).toEqual([
      ['Extra', 'UNKNOWN_FIELD'],
      ['Users[0].x', 'UNKNOWN_FIELD'],
      ['users', 'UNKNOWN_FIELD'],
    ]);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'then', '\0', ''])(
    'takes the field %j for an unknown one like any other',
    async (name) => {
      const field = `${JSON.stringify(name)}:{"ID":${principal},"Username":"polluted","isAdmin":true}`;
      const user = JSON.stringify(newUser('never.stored')).slice(1, -1);
      const inRecord = await updateText(`[{"ID":${principal},${field},"Users":[{${user}}]}]`);
      expect(await expectFaults(inRecord, 'INVALID_RECORD')).toEqual([[name, 'UNKNOWN_FIELD']]);
      const inUser = await updateText(`[{"ID":${principal},"Users":[{${user},${field}}]}]`);
      expect(await expectFaults(inUser, 'INVALID_USERS')).toEqual([[`Users[0].${name}`, 'UNKNOWN_FIELD']]);
      expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
    },
  );

  it('does not take what __proto__ holds for fields of the record', async () => {
    const users = JSON.stringify([newUser('never.stored')]);
    const answer = await updateText(`[{"__proto__":{"ID":${principal},"Users":${users}}}]`);
    const faults = await expectFaults(answer, 'INVALID_RECORD');
    expect(faults.sort()).toEqual([
      ['ID', 'REQUIRED'],
      ['Users', 'REQUIRED'],
      ['__proto__', 'UNKNOWN_FIELD'],
    ]);
  });

  it('is answered in well-formed text when an unknown name is cut in the middle of a character', async () => {
    for (const length of [57, 58, 59, 60]) {
      const name = `${'a'.repeat(length)}${'😀'.repeat(4)}`;
      const inBody = await update({ ...registration(), [name]: 1 });
      expect((await expectFaults(inBody, 'INVALID_RECORD'))[0]?.[1]).toBe('UNKNOWN_FIELD');
      expect(inBody.text).not.toMatch(/\\ud[89a-f]/i);
      const body = JSON.stringify([registration()]);
      const inQuery = await send(`irs/update?${encodeURIComponent(name)}=1`, { body });
      expectRefusal(inQuery, 400, 'INVALID_PARAMETER');
      expect(inQuery.text).not.toMatch(/\\ud[89a-f]/i);
      const inListing = await send('irs/list', { body: JSON.stringify({ [name]: 1 }) });
      expectRefusal(inListing, 400, 'INVALID_PARAMETER');
      expect(inListing.text).not.toMatch(/\\ud[89a-f]/i);
    }
  });

  it('is refused when its password has ten million characters, and shows none of them', async () => {
    const Password = 'secret sand '.repeat(833_334);
    const record = {
      ID: principal,
      Users: [newUser('never.stored', { Password, ConfirmPassword: Password })],
    };
    const answer = await update(record);
    expect(await expectFaults(answer, 'INVALID_USERS')).toEqual([['Users[0].Password', 'PASSWORD_TOO_LONG']]);
    expect(answer.text).not.toContain('secret sand');
    expect(service.log.slice(logged).join('')).not.toContain('secret sand');
  });

  it.each([
    ['Username', 'USERNAME_TOO_LONG'],
    ['Email', 'EMAIL_TOO_LONG'],
  ])('is refused when its %s has a million characters', async (field, code) => {
    const record = { ID: principal, Users: [newUser('never.stored', { [field]: 'a@b'.repeat(350_000) })] };
    expect(await expectFaults(await update(record), 'INVALID_USERS')).toEqual([[`Users[0].${field}`, code]]);
  });

  it('is refused by its own faults when it mixes a registration and a reset with one fault each', async () => {
    const record = {
      ID: principal,
      Users: [newUser('present'), { ID: user + 1_000_000 }, { ID: user, Username: 'x' }],
    };
    const faults = await expectFaults(await update(record), 'INVALID_USERS');
    expect(faults.sort()).toEqual([
      ['Users[0].Username', 'USERNAME_TAKEN'],
      ['Users[1].ConfirmPassword', 'REQUIRED'],
      ['Users[1].ID', 'USER_NOT_FOUND'],
      ['Users[1].Password', 'REQUIRED'],
      ['Users[2]', 'AMBIGUOUS_USER'],
    ]);
  });
});

describe('a record of irs/insert', () => {
  it.each([
    ['ExternalKey', 'TEXT_CHARACTERS'],
    ['Denomination', 'TEXT_CHARACTERS'],
    ['Surname', 'TEXT_CHARACTERS'],
    ['Name', 'TEXT_CHARACTERS'],
    ['Vatnumber', 'TEXT_CHARACTERS'],
    ['Taxcode', 'TEXT_CHARACTERS'],
    ['Email', 'EMAIL_INVALID'],
  ])('is refused when %s holds NUL', async (field, code) => {
    const answer = await send('irs/insert', { body: JSON.stringify([{ [field]: 'a\0b' }]) });
    expect(await expectFaults(answer, 'INVALID_RECORD')).toEqual([[field, code]]);
  });

  it('is refused when it has ten million characters in a field', async () => {
    const answer = await send('irs/insert', { body: JSON.stringify([{ Surname: 'x'.repeat(10_000_000) }]) });
    expect(await expectFaults(answer, 'INVALID_RECORD')).toEqual([['Surname', 'TEXT_TOO_LONG']]);
  });
});

describe.each(['irs/list', 'irs/users'])('the parameters of %s', (path) => {
  it.each([
    '{"Search":"\\u0000"}',
    '{"ExternalKey":"a\\u0000"}',
    '{"ID":1.5}',
    '{"ID":9007199254740992}',
    '{"Page":-0}',
    '{"Page":"1"}',
    '{"PageSize":1001}',
    '{"PageSize":1e300}',
    '{"Date":"yesterday"}',
    '{"Date":"2026-99-99"}',
    '{"Date":1}',
    '{"Search":{}}',
    '{"__proto__":1}',
    '{"constructor":1}',
    '{"page":1}',
  ])('are refused with 400 when they are %s', async (body) => {
    expectRefusal(await send(path, { body }), 400, 'INVALID_PARAMETER');
  });

  it.each(['[]', '1', '"x"', 'true'])('are refused with 400 when they are %s', async (body) => {
    expectRefusal(await send(path, { body }), 400, 'INVALID_BODY');
  });

  it.each([
    '{"Page":9007199254740991,"PageSize":1000}',
    '{"ID":9007199254740991}',
    '{"Search":"%_\\\\\'\\""}',
    '{"Search":"\\ud83d\\ude00 & | ! :* ()"}',
    '{"Date":"0000-01-01"}',
    '{"Date":"9999-12-31T23:59:59.999999999+14:00"}',
  ])('give a page, however empty, when they are %s', async (body) => {
    const envelope = readEnvelope(await send(path, { body }));
    expect(envelope.statusCode).toBe(200);
  });
});

describe('a body that breaks off', () => {
  const half = (length: number) => `[{"Surname":"${'x'.repeat(length)}`;

  it('is told so when its sender still listens', async () => {
    const wire = await openWire(service.url);
    wire.socket.end(headOf(service.url, 'irs/insert', { 'Content-Length': 1000 }) + half(100));
    expectRefusal(await wire.answer(), 400, 'INVALID_REQUEST');
  });

  it('is told so when it came in chunks and its sender still listens', async () => {
    const wire = await openWire(service.url);
    const head = headOf(service.url, 'irs/insert', { 'Transfer-Encoding': 'chunked' });
    wire.socket.end(`${head}100\r\n${half(50)}`);
    expectRefusal(await wire.answer(), 400, 'INVALID_REQUEST');
  });

  it('leaves nothing behind: after many of them a call is taken as before', async () => {
    const cut = await startTestService({ ANAGRAFE_MAX_BODY_BYTES: String(smallLimit) });
    const length = 40_000;
    for (let round = 0; round < 30; round++) {
      const wire = await openWire(cut.url);
      const chunked = round % 2 === 0;
      const framing = chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': smallLimit };
      const start = chunked ? `${length.toString(16)}\r\n` : '';
      wire.socket.write(headOf(cut.url, 'irs/insert', framing) + start + half(length - 100));
      await sleep(5);
      if (round % 4 < 2) wire.socket.destroy();
      else wire.socket.resetAndDestroy();
    }
    const body = JSON.stringify([{ Surname: 'x'.repeat(60_000) }]);
    await expect
      .poll(async () => (await send('irs/insert', { body, to: cut })).status, { timeout: 10_000 })
      .toBe(422);
    expect(cut.log.filter((line) => /"level":"error"|"status":5/.test(line))).toEqual([]);
  });
});

describe('a body over the limit of bytes', () => {
  const body = Buffer.alloc(4_000_000, ' ');

  it('is answered with 413, and its sender sees the answer', async () => {
    for (let round = 0; round < 5; round++) {
      const answer = await send('irs/update', { body, to: small });
      const { message } = expectRefusal(answer, 413, 'BODY_TOO_LARGE');
      expect(message).toContain(String(smallLimit));
    }
  });

  it('is answered with 413 when it comes in chunks without a length', async () => {
    for (let round = 0; round < 5; round++) {
      const head = headOf(small.url, 'irs/update', { 'Transfer-Encoding': 'chunked', Connection: 'close' });
      const size = `${body.length.toString(16)}\r\n`;
      const answer = await sendRaw(small.url, head, size, body, '\r\n0\r\n\r\n');
      expectRefusal(answer, 413, 'BODY_TOO_LARGE');
    }
  });

  it('is answered with 413 when the sender waits for the answer before it goes on', async () => {
    const wire = await openWire(small.url);
    wire.socket.write(headOf(small.url, 'irs/update', { 'Content-Length': body.length }));
    wire.socket.write(body.subarray(0, 1000));
    expectRefusal(await wire.answer(), 413, 'BODY_TOO_LARGE');
  });

  it('is taken when it has exactly as many bytes as allowed', async () => {
    const atLimit = '[{"Surname":7}]'.padEnd(smallLimit);
    expect((await send('irs/insert', { body: atLimit, to: small })).status).toBe(422);
    const over = await send('irs/insert', { body: `${atLimit} `, to: small });
    expectRefusal(over, 413, 'BODY_TOO_LARGE');
  });
});

describe('a large body that is not read', () => {
  const body = Buffer.alloc(4_000_000, ' ');

  it.each([
    ['415, for its content type', '/api/sync/v1/irs/update', 415, { 'content-type': 'text/plain' }],
    ['404, for its path', '/api/sync/v1/irs/nothing', 404, {}],
    ['401, for its credential', '/api/sync/v1/irs/update', 401, { authorization: 'Bearer nobody.nothing' }],
    ['400, for its query', '/api/sync/v1/irs/update?x=1', 400, {}],
  ])('is answered with %s, and its sender sees the answer', async (_, path, status, headers) => {
    for (let round = 0; round < 5; round++) {
      const answer = await send(path, { body, headers: headers as Record<string, string> });
      expect(readEnvelope(answer).statusCode).toBe(status);
    }
  });
});

describe('a request that is no HTTP', () => {
  const post = 'POST /api/sync/v1/irs/update HTTP/1.1';
  const host = 'Host: localhost';

  it.each([
    ['garbage', 'GARBAGE\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100a5010000a1030300', 'hex')],
    ['an unknown version', 'POST /api/sync/v1/irs/update HTTP/9.9\r\n\r\n'],
    ['a header without a colon', `${post}\r\n${host}\r\nnonsense\r\n\r\n`],
    ['a header with NUL', `${post}\r\n${host}\r\nX: a\0b\r\n\r\n`],
    ['a header with a space in its name', `${post}\r\n${host}\r\nContent Length: 2\r\n\r\n[]`],
    ['a length that is no number', `${post}\r\n${host}\r\nContent-Length: two\r\n\r\n[]`],
    ['a negative length', `${post}\r\n${host}\r\nContent-Length: -2\r\n\r\n[]`],
    ['two lengths', `${post}\r\n${host}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]`],
    [
      'a length and chunks',
      `${post}\r\n${host}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n[]`,
    ],
    [
      'a chunk without a size',
      `${post}\r\n${host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[]\r\n`,
    ],
  ])('is answered with 400 and the envelope: %s', async (_, text) => {
    expectRefusal(await sendRaw(service.url, text), 400, 'INVALID_REQUEST');
  });

  it.each([
    ['a header', `${post}\r\n${host}\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`],
    ['a path', `POST /api/${'x'.repeat(1_000_000)} HTTP/1.1\r\n${host}\r\n\r\n`],
  ])('is answered with 431 and the envelope for %s of a megabyte', async (_, text) => {
    expectRefusal(await sendRaw(service.url, text), 431, 'HEADERS_TOO_LARGE');
  });

  it('is answered with the envelope when it lacks the Host header', async () => {
    const answer = await sendRaw(service.url, `${post}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    expect(answer?.status).toBe(400);
    expectRefusal(answer, 400, 'INVALID_REQUEST');
  });

  it('is answered with the envelope when it expects what no one can give', async () => {
    const answer = await sendRaw(
      service.url,
      `${post}\r\n${host}\r\nConnection: close\r\nExpect: miracles\r\nContent-Length: 0\r\n\r\n`,
    );
    readEnvelope(answer ?? { status: 0, text: '' });
  });

  it('does not keep the service from answering the next one', async () => {
    await sendRaw(service.url, 'GARBAGE\r\n\r\n');
    const envelope = readEnvelope(await send('irs/list', { body: '{}' }));
    expect(envelope.statusCode).toBe(200);
  });
});

describe('a path that does not exist', () => {
  it.each([
    '/api',
    '/api/',
    '/api/sync/v1',
    '/api/sync/v2/irs/update',
    '/api/sync/v1/irs/update/',
    '/api/sync/v1/irs/UPDATE',
    '/api/sync/v1/irs/update%00',
    '/api/sync/v1/irs/../../../../etc/passwd',
    '/api/sync/v1/irs/%2e%2e/update',
    '/api/%zz',
    '/api/%',
    '/api/%e0%a4%a',
    '/api/%ff',
    '/api/sync/v1/irs/%c0%af',
    `/api/${'x'.repeat(8000)}`,
  ])('is answered with 404 and the envelope: %s', async (path) => {
    const lines = [`POST ${path} HTTP/1.1`, `Host: ${new URL(service.url).host}`, 'Connection: close'];
    const answer = await sendRaw(service.url, `${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`);
    expectRefusal(answer, 404, 'NOT_FOUND');
  });

  it.each([
    ['broken JSON', '[{', 'application/json'],
    ['a type that is not known', '<x/>', 'application/xml'],
    ['the name of a prototype', '{"__proto__":1}', 'application/json'],
    ['two megabytes', ' '.repeat(2_000_000), 'application/json'],
  ])('is answered with 404 whatever the body is: %s', async (_, body, type) => {
    const answer = await send('/api/sync/v1/irs/nothing', { body, headers: { 'content-type': type } });
    expectRefusal(answer, 404, 'NOT_FOUND');
  });
});

describe('a method that the path does not take', () => {
  it.each(['GET', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'LOCK'])(
    'is answered with 405 and Allow: %s',
    async (method) => {
      const head = `${method} /api/sync/v1/irs/update HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\n`;
      const answer = await sendRaw(service.url, `${head}Connection: close\r\nContent-Length: 0\r\n\r\n`);
      expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer?.headers.get('allow')).toBe('POST, PUT, PATCH');
    },
  );

  it('is answered with 405 and Allow, and without a body, when it is HEAD', async () => {
    const answer = await send('irs/update', { method: 'HEAD' });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST, PUT, PATCH');
    expect(answer.text).toBe('');
  });

  it('is refused as no HTTP when no one knows it', async () => {
    const answer = await sendRaw(
      service.url,
      'FROBNICATE /api/sync/v1/irs/update HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    expectRefusal(answer, 400, 'INVALID_REQUEST');
  });

  it.each([
    ['broken JSON', '[{', 'application/json'],
    ['a type that is not known', '<x/>', 'application/xml'],
  ])('is answered with 405 whatever the body is: %s', async (_, body, type) => {
    const answer = await send('irs/update', { method: 'DELETE', body, headers: { 'content-type': type } });
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
  });
});

describe('what can be passed over', () => {
  it('is one byte order mark', async () => {
    const body = `\ufeff${JSON.stringify([{ ID: principal, Users: [newUser('present')] }])}`;
    const faults = await expectFaults(await send('irs/update', { body }), 'USERNAME_TAKEN');
    expect(faults).toEqual([['Users[0].Username', 'USERNAME_TAKEN']]);
  });

  it('is the case and the quotes of the charset', async () => {
    for (const type of ['application/json; charset=UTF-8', 'Application/JSON;charset="utf-8"']) {
      const answer = await send('irs/list', { body: '{}', headers: { 'content-type': type } });
      expect(answer.status).toBe(200);
    }
  });
});

describe('an address that a proxy made up', () => {
  let behindProxy: TestService;

  beforeAll(async () => {
    behindProxy = await startTestService({
      ANAGRAFE_TRUST_PROXY: '127.0.0.1',
      ANAGRAFE_FIRST_CLIENT: firstClient,
    });
  });

  it.each([
    'unknown',
    '999.1.1.1',
    '10.0.0.1:4711',
    'fe80::1%eth0',
    '[::1]',
    '::ffff:10.0.0.1',
    ',,,',
    `${'1.1.1.1,'.repeat(500)}x`,
    "'; drop table anagrafe.users; --",
  ])('is no reason to fail: %s', async (address) => {
    const headers = { 'x-forwarded-for': address };
    const closed = await send('irs/list', { body: '{}', headers, to: behindProxy });
    expectRefusal(closed, 401, 'UNAUTHENTICATED');
    const open = { ...headers, authorization: `Bearer ${firstClient}` };
    expect((await send('irs/list', { body: '{}', headers: open, to: behindProxy })).status).toBe(200);
  });

  it.each([
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['a bearer without a dot', { authorization: 'Bearer x' }],
    ['a bearer of dots', { authorization: 'Bearer ....' }],
    ['another scheme', { authorization: 'Basic Zmlyc3Q6c2Vj' }],
    ['a key alone', { syncpublickey: 'first' }],
    ['a secret alone', { syncsecretkey: 's'.repeat(40) }],
    ['keys that are no keys', { syncpublickey: "' or 1=1 --", syncsecretkey: '\x80\xff' }],
    ['a token that no login gave', { accesstoken: 'x'.repeat(4000) }],
    ['two credentials', { authorization: `Bearer ${firstClient}`, accesstoken: 'x' }],
  ])('stands beside a credential that is refused with 401: %s', async (_, headers) => {
    const answer = await send('irs/list', {
      body: '{}',
      headers: headers as Record<string, string>,
      to: behindProxy,
    });
    expectRefusal(answer, 401, 'UNAUTHENTICATED');
    expect(answer.headers['www-authenticate']).toContain('Bearer');
  });
});

it('answers calls on one connection in their order, whatever is wrong with them', async () => {
  const client = new Client(service.url, { pipelining: 8 });
  const bodies = ['[', '[]', '{}', '[{}]', '[{"ID":1e400}]', '[null]', nested(20), '[{"ID":1,"ID":1}]'];
  const answers = await Promise.all(
    bodies.map(async (body) => {
      const path = '/api/sync/v1/irs/update';
      const headers = { 'content-type': 'application/json' };
      const answer = await client.request({ path, method: 'PUT', body, headers });
      return readEnvelope({ status: answer.statusCode, text: await answer.body.text() }).errorCode;
    }),
  );
  await client.close();
  expect(answers).toEqual([
    'INVALID_JSON',
    'INVALID_BODY',
    'INVALID_BODY',
    'INVALID_RECORD',
    'INVALID_JSON',
    'INVALID_BODY',
    'BODY_TOO_LARGE',
    'INVALID_JSON',
  ]);
});
