import { createHash, createHmac } from 'node:crypto';
import { importedUser } from '@anagrafe/testing/jobs';
import {
  type Answer,
  insertPrincipals,
  newUser,
  startTestService,
  type TestService,
} from '@anagrafe/testing/service';
import { verifyPassword } from '@anagrafe/testing/verify-password';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;
let serial = 0;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_MAX_RECORDS: '20' });
  [principal = 0] = await insertPrincipals(service, 1);
});

const newKey = () => `key-${++serial}`;

function send(key: string, records: unknown, headers: Record<string, string> = {}, path = 'irs/update') {
  return service.call(path, records, { headers: { 'idempotency-key': key, ...headers } });
}

/** Returns the parts of an answer that a replay must repeat; X-Request-Id and Date differ in every answer. */
function seen({ status, headers, text }: Answer) {
  const kept = ['content-type', 'content-language', 'preference-applied', 'retry-after'];
  return { status, text, headers: kept.map((name) => [name, headers.get(name)]) };
}

async function stored(): Promise<unknown> {
  return service.database.query(
    `select (select count(*) from anagrafe.users) as users, (select count(*) from anagrafe.principals) as principals,
            (select max(updated_at) from anagrafe.principals) as principals_changed,
            (select max(updated_at) from anagrafe.users) as users_changed,
            (select last_value from anagrafe.users_id_seq) as user_numbers`,
  );
}

const good = (name: string) => ({ ID: principal, Users: [importedUser(name)] });
const missing = { ID: 987_654, Users: [newUser('missing')] };
const crooked = { ID: '7', Users: [{ Username: ' ' }, {}, 'nobody'], Extra: 1 };

describe('a call that is sent again with its Idempotency-Key', () => {
  it.each<[string, number, string, () => unknown]>([
    [
      'was applied',
      200,
      'irs/update',
      () => [{ ID: principal, Users: [newUser('once'), newUser('once too')] }],
    ],
    ['was applied partially', 207, 'irs/update', () => [missing, good('once in part'), crooked]],
    ['was refused, each record for a reason of its own', 422, 'irs/update', () => [missing, crooked]],
    ['was refused, all records for one reason', 422, 'irs/update', () => [missing, missing]],
    ['inserted principals', 200, 'irs/insert', () => [{ ExternalKey: 'once' }, { Name: 'Once' }]],
    [
      'inserted some of its principals',
      207,
      'irs/insert',
      () => [{ ExternalKey: 'a part' }, { ExternalKey: 'a part' }, {}],
    ],
  ])(
    'gets the same answer byte for byte, and is applied only once, if it %s',
    async (_, status, path, body) => {
      const key = newKey();
      const records = body();
      const headers = { prefer: 'return=representation' };
      const first = await send(key, records, headers, path);
      expect(first.status).toBe(status);
      expect(first.headers.get('idempotency-replayed')).toBeNull();
      const before = await stored();
      for (let n = 0; n < 2; n++) {
        const again = await send(key, records, headers, path);
        expect(seen(again)).toEqual(seen(first));
        expect(again.headers.get('idempotency-replayed')).toBe('true');
      }
      expect(await stored()).toEqual(before);
    },
  );

  it('gets its answer according to the Accept-Language and Prefer of the repeated request', async () => {
    const key = newKey();
    const records = [good('said in two languages'), missing];
    const english = await send(key, records);
    const italian = await send(key, records, { 'accept-language': 'it', prefer: 'return=representation' });
    expect(italian.headers.get('content-language')).toBe('it');
    expect(italian.headers.get('preference-applied')).toBe('return=representation');
    const [inEnglish, inItalian] = [english, italian].map(({ body }) => body.result?.records ?? []);
    expect(inItalian?.map((tuple) => tuple.Item2)).toEqual(inEnglish?.map((tuple) => tuple.Item2));
    expect(inItalian?.[1]?.Item4).not.toBe(inEnglish?.[1]?.Item4);
    expect(inItalian?.[0]?.Item6.Users).toMatchObject([{ Username: 'said in two languages' }]);
    expect(inEnglish?.[0]?.Item6).toEqual({});
    expect(seen(await send(key, records))).toEqual(seen(english));
  });

  it('does not overwrite a later change', async () => {
    const { body } = await send(newKey(), [good('reset once')], { prefer: 'return=representation' });
    const ID = body.result?.records[0]?.Item6.Users?.[0]?.ID;
    const reset = (Password: string) => [
      { ID: principal, Users: [{ ID, Password, ConfirmPassword: Password }] },
    ];
    const key = newKey();
    await send(key, reset('the first sentence'));
    await send(newKey(), reset('the second sentence'));
    const again = await send(key, reset('the first sentence'));
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    const [user] = await service.database.query<{ hash: string }>(
      'select password_hash as hash from anagrafe.users where id = $1',
      [ID],
    );
    expect(await verifyPassword('the second sentence', user?.hash ?? '')).toBe(true);
  });

  it('gets the same answer with POST, PUT and PATCH', async () => {
    const key = newKey();
    const first = await send(key, [good('by any method')]);
    for (const method of ['PUT', 'PATCH']) {
      const init = { method, headers: { 'idempotency-key': key } };
      const again = await service.call('irs/update', [good('by any method')], init);
      expect(seen(again)).toEqual(seen(first));
    }
  });

  it('may ask for debug, which describes the repeated request', async () => {
    const key = newKey();
    await send(key, [good('debugged')]);
    const again = await send(key, [good('debugged')], {}, 'irs/update?debug=true');
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.debug).toMatchObject({ RequestId: again.headers.get('x-request-id') });
  });
});

describe('an Idempotency-Key of another call', () => {
  const reused = {
    statusCode: 422,
    errorCode: 'IDEMPOTENCY_KEY_REUSED',
    message:
      'This Idempotency-Key was already used with another body or path. Repeat the original call, or use a new key.',
    result: null,
    debug: null,
  };

  it('is refused with another body, of which nothing is applied', async () => {
    const key = newKey();
    const first = await send(key, [good('the first body')]);
    const other = await send(key, [good('another body')]);
    expect(other.body).toEqual(reused);
    expect(other.headers.get('idempotency-replayed')).toBeNull();
    const found = await service.call('irs/users', { Username: 'another body' });
    expect(found.body.result?.totalCount).toBe(0);
    expect(seen(await send(key, [good('the first body')]))).toEqual(seen(first));
  });

  it('is refused if the body differs only by a space', async () => {
    const key = newKey();
    const send = (body: string) =>
      service.call('irs/update', undefined, { body, headers: { 'idempotency-key': key } });
    const body = JSON.stringify([good('a space more')]);
    expect((await send(body)).status).toBe(200);
    expect((await send(`${body} `)).body).toEqual(reused);
    expect((await send(body)).headers.get('idempotency-replayed')).toBe('true');
  });

  it('is refused on another path, even with the same body', async () => {
    const key = newKey();
    const records = [{ ExternalKey: 'which path' }];
    expect((await send(key, records)).status).toBe(422);
    expect((await send(key, records, {}, 'irs/insert')).body).toEqual(reused);
    expect((await send(newKey(), records, {}, 'irs/insert')).status).toBe(200);
  });
});

describe('a call that was not applied', () => {
  it.each<[string, number, unknown, Record<string, string>]>([
    ['is not JSON', 400, undefined, {}],
    ['is not an array', 400, {}, {}],
    ['is empty', 400, [], {}],
    ['has too many records', 413, Array(21).fill({}), {}],
    ['has another content type', 415, [], { 'content-type': 'text/plain' }],
    ['has a wrong credential', 401, [], { authorization: 'Bearer a.b' }],
  ])('does not use up its key if it %s', async (about, status, body, headers) => {
    const key = newKey();
    expect((await send(key, body, headers)).status).toBe(status);
    const answer = await send(key, [good(`after one that ${about}`)]);
    expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, null]);
  });

  it('does not use up its key if it was a dry run', async () => {
    const key = newKey();
    const dry = await send(key, [good('dry at first')], {}, 'irs/update?dryRun=true');
    expect(dry.body.result?.record).toMatchObject({ Register: 1 });
    const real = await send(key, [good('dry at first')]);
    expect([real.status, real.headers.get('idempotency-replayed')]).toEqual([200, null]);
    const dryAgain = await send(key, [good('dry at first')], {}, 'irs/update?dryRun=true');
    expect(dryAgain.headers.get('idempotency-replayed')).toBeNull();
    expect(dryAgain.body.result?.records[0]?.Item2).toBe('USERNAME_TAKEN');
  });
});

describe('the stored row of a call with a key', () => {
  it('does not allow a reader of the table to test guesses of the body', async () => {
    const key = newKey();
    const body = JSON.stringify([{ ID: principal, Users: [newUser('kept')] }]);
    const init = { method: 'POST', headers: { 'content-type': 'application/json', 'idempotency-key': key } };
    const answer = await fetch(`${service.url}/api/sync/v1/irs/update`, { ...init, body });
    expect(answer.status).toBe(200);
    const [call] = await service.database.query<{ fingerprint: Buffer; row: string }>(
      'select fingerprint, call::text as row from anagrafe.calls as call where idempotency_key = $1',
      [key],
    );
    expect(call?.fingerprint).toHaveLength(32);
    for (const text of [body, `/api/sync/v1/irs/update\n${body}`]) {
      const guesses = [createHash('sha256'), createHmac('sha256', ''), createHmac('sha256', key)];
      for (const guess of guesses) expect(call?.fingerprint).not.toEqual(guess.update(text).digest());
    }
    expect(call?.row).not.toContain('correct horse');
  });
});
