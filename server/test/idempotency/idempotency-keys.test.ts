import { importedUser } from '@anagrafe/testing/jobs';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { headOf, sendRaw } from '@anagrafe/testing/wire';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { createClient } from '../../src/clients/clients.ts';

type Headers = Record<string, string>;

let service: TestService;
let principal: number;
let erp: Headers;
let crm: Headers;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_IDEMPOTENCY_HOURS: '3' });
  erp = await client('erp');
  crm = await client('crm');
  const { body } = await service.call('irs/insert', [{ Name: 'Principal' }], { headers: erp });
  principal = body.result?.records[0]?.Item1 ?? 0;
});

async function client(name: string): Promise<Headers> {
  const options = { name, scopes: ['sync:write'], networks: [], knownByAddress: false } as const;
  const made = await createClient(options, openClientStore(service.database), operatorActor);
  return { authorization: `Bearer ${made.client.publicKey}.${made.secret}` };
}

const send = (key: string, username: string, who = erp) =>
  service.call('irs/update', [{ ID: principal, Users: [importedUser(username)] }], {
    headers: { ...who, 'idempotency-key': key },
  });

const replayed = (answer: { headers: globalThis.Headers }) => answer.headers.get('idempotency-replayed');

describe('an Idempotency-Key', () => {
  it.each([
    ['one character', 'x'],
    ['a UUID', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['a quoted string', '"8e03978e-40d5"'],
    ['every visible character', String.fromCharCode(...Array.from({ length: 94 }, (_, n) => 33 + n))],
    ['255 characters', 'k'.repeat(255)],
  ])('may be %s', async (about, key) => {
    const first = await send(key, `with ${about}`);
    expect([first.status, replayed(first)]).toEqual([200, null]);
    const again = await send(key, `with ${about}`);
    expect([again.text, replayed(again)]).toEqual([first.text, 'true']);
  });

  it.each([
    ['empty', ''],
    ['256 characters', 'k'.repeat(256)],
    ['a text with a space', 'two words'],
    ['a text with a tab', 'two\twords'],
    ['a text with non-ASCII letters', 'caff\u00e8'],
  ])('may not be %s: the call is refused and not applied', async (about, key) => {
    const { status, body } = await send(key, `refused ${about}`);
    expect(status).toBe(400);
    expect(body).toEqual({
      statusCode: 400,
      errorCode: 'INVALID_PARAMETER',
      message: '"Idempotency-Key" must be sent once and have 1 to 255 visible ASCII characters.',
      result: null,
      debug: null,
    });
    expect((await send(`good-${about.length}`, `refused ${about}`)).status).toBe(200);
  });

  it('may not be sent in two headers', async () => {
    const text = JSON.stringify([{ ID: principal, Users: [importedUser('two keys')] }]);
    const head = headOf(service.url, 'irs/update', {
      ...erp,
      'Content-Length': Buffer.byteLength(text),
      Connection: 'close',
      'Idempotency-Key': 'one\r\nIdempotency-Key: two',
    });
    const answer = await sendRaw(service.url, head + text);
    expect(answer?.status).toBe(400);
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({ errorCode: 'INVALID_PARAMETER', result: null });
  });

  it('is case-sensitive', async () => {
    expect((await send('Case', 'upper case')).status).toBe(200);
    const other = await send('case', 'lower case');
    expect([other.status, replayed(other)]).toEqual([200, null]);
  });

  it('is scoped to the client that sends it', async () => {
    const first = await send('shared', 'of erp');
    const other = await send('shared', 'of crm', crm);
    expect([other.status, replayed(other)]).toEqual([200, null]);
    const same = await send('shared', 'of erp', crm);
    expect([same.status, same.body.errorCode]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const again = await send('shared', 'of erp');
    expect([again.text, replayed(again)]).toEqual([first.text, 'true']);
  });

  it('is the same for a bearer token and for the headers of one client', async () => {
    const first = await send('by-bearer', 'sent both ways');
    const [publicKey = '', secret = ''] = (erp.authorization ?? '').slice('Bearer '.length).split('.');
    const pair = { SyncPublicKey: publicKey, SyncSecretKey: secret };
    const again = await send('by-bearer', 'sent both ways', pair);
    expect([again.text, replayed(again)]).toEqual([first.text, 'true']);
  });

  it('expires after ANAGRAFE_IDEMPOTENCY_HOURS, and can then be used again', async () => {
    const first = await send('for-a-while', 'remembered');
    const lifetimes = await service.database.query<{ hours: number }>(
      `select round(extract(epoch from key_expires_at - submitted_at) / 3600) as hours
         from anagrafe.calls where idempotency_key = 'for-a-while'`,
    );
    expect(lifetimes.map(({ hours }) => Number(hours))).toEqual([3]);
    await expireIn('for-a-while', '1 minute');
    expect(replayed(await send('for-a-while', 'remembered'))).toBe('true');

    await expireIn('for-a-while', '-1 second');
    const repeated = await send('for-a-while', 'remembered');
    expect(replayed(repeated)).toBeNull();
    expect([first.status, repeated.status, repeated.body.errorCode]).toEqual([200, 422, 'USERNAME_TAKEN']);
    await expireIn('for-a-while', '-1 second');
    const other = await send('for-a-while', 'another body');
    expect([other.status, replayed(other)]).toEqual([200, null]);
    expect(replayed(await send('for-a-while', 'another body'))).toBe('true');
  });

  it('has no effect on a call that only reads', async () => {
    const reader = await createClient(
      { name: 'reader', scopes: ['sync:read'], networks: [], knownByAddress: false },
      openClientStore(service.database),
      operatorActor,
    );
    const headers = {
      authorization: `Bearer ${reader.client.publicKey}.${reader.secret}`,
      'idempotency-key': 'reads',
    };
    for (const Search of ['one', 'two']) {
      const answer = await service.call('irs/list', { Search }, { headers });
      expect([answer.status, replayed(answer)]).toEqual([200, null]);
    }
  });
});

/** Sets the expiry of a key. `left` is a PostgreSQL interval from now; a negative one means that it has expired. */
async function expireIn(key: string, left: string): Promise<void> {
  await service.database.query(
    'update anagrafe.calls set key_expires_at = now() + $2::interval where idempotency_key = $1',
    [key, left],
  );
}
