import { type Gateway, type NetworkFault, startGateway } from '@anagrafe/testing/gateway';
import { hangUp } from '@anagrafe/testing/interruption';
import { holding, importedHash, principalLock } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { Anagrafe, type AnagrafeOptions } from '../../src/index.ts';

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

async function troubled(networkFaults: NetworkFault[], options: Partial<AnagrafeOptions> = {}) {
  const gateway = await startGateway(service.url);
  gateway.networkFaults = networkFaults;
  return { gateway, anagrafe: new Anagrafe({ url: gateway.url, ...options }) };
}

/** A short timeout, and enough retries for a slow machine on which an answer takes longer than that. */
const short = { timeoutMs: 1000, retries: 100 };
const user = (Username: string) => ({ Username, PasswordHash: importedHash });
const page = { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' };
const keysOf = ({ seen }: Gateway) => new Set(seen.map(({ headers }) => headers['idempotency-key']));
const bodiesOf = ({ seen }: Gateway) => new Set(seen.map(({ body }) => body));

describe('a write', () => {
  it.each<[string, NetworkFault]>([
    ['never arrived', 'lost'],
    ['was applied without an answer', 'lost answer'],
    ['got an error page of a proxy', page],
  ])('that %s is sent again with the same bytes and key, and is applied once', async (what, fault) => {
    const { gateway, anagrafe } = await troubled([fault]);
    await expectDoneOnce(gateway, anagrafe, `one who ${what}`);
    expect(gateway.seen).toHaveLength(2);
  });

  it('that timed out is sent again with the same bytes and key, and is applied once', async () => {
    const { gateway, anagrafe } = await troubled(['silence'], short);
    await expectDoneOnce(gateway, anagrafe, 'one who was not answered in time');
    expect(gateway.seen.length).toBeGreaterThanOrEqual(2);
  });

  async function expectDoneOnce(gateway: Gateway, anagrafe: Anagrafe, name: string): Promise<void> {
    expect(await anagrafe.register(principal, [user(name)])).toMatchObject([{ Username: name }]);
    expect([keysOf(gateway).size, bodiesOf(gateway).size]).toEqual([1, 1]);
    expect([...keysOf(gateway)]).toEqual([expect.stringMatching(/^[\da-f]{32}$/)]);
    const reader = new Anagrafe({ url: service.url });
    expect((await reader.users({ Username: name }).page()).totalCount).toBe(1);
  }

  it('has a new idempotency key each time', async () => {
    const { gateway, anagrafe } = await troubled([]);
    await anagrafe.register(principal, [user('first key')]);
    await anagrafe.register(principal, [user('second key')]);
    expect(keysOf(gateway).size).toBe(2);
  });

  it('that is in progress is sent again until its answer is available', async () => {
    const { gateway, anagrafe } = await troubled([], short);
    const registered = await holding(service, principalLock(principal), async ({ blocked }) => {
      const work = anagrafe.register(principal, [user('takes long')]);
      await blocked(1);
      await expect.poll(() => gateway.seen.length).toBeGreaterThan(1);
      return [work] as const;
    });
    expect(await registered[0]).toMatchObject([{ Username: 'takes long' }]);
    expect(keysOf(gateway).size).toBe(1);
  });

  it('with an unknown outcome is sent again until it is complete', async () => {
    const { gateway, anagrafe } = await troubled([]);
    const [other = 0] = await insertPrincipals(service, 1);
    const written = await holding(service, principalLock(principal), async ({ connection, blocked }) => {
      const records = [
        { ID: principal, Users: [user('cut off')] },
        { ID: other, Users: [user('not cut off')] },
      ];
      const work = anagrafe.update(records);
      await blocked(1);
      await hangUp(connection);
      return [work] as const;
    });
    const result = await written[0];
    expect(result).toMatchObject({ status: 200, tuples: [{ Item3: true }, { Item3: true }] });
    expect(gateway.seen.length).toBeGreaterThan(1);
    expect([keysOf(gateway).size, bodiesOf(gateway).size]).toEqual([1, 1]);
    expect((await anagrafe.users({ Search: 'cut off' }).page()).totalCount).toBe(1);
  });

  it('returns its last tuples and its key if the service is no longer reachable', async () => {
    const tuple = { Item1: 1, Item2: 'NOT_APPLIED', Item3: false, Item4: 'Later.', Item5: {}, Item6: {} };
    const result = { totalCount: 1, totalPages: 1, page: 1, count: 1, records: [tuple], record: null };
    const envelope = { statusCode: 503, errorCode: 'UNAVAILABLE', message: 'Later.', result, debug: null };
    const { gateway, anagrafe } = await troubled(
      [{ status: 503, body: JSON.stringify(envelope) }, 'lost', 'lost'],
      { retries: 2 },
    );
    const idempotencyKey = 'to-be-carried-on';
    const records = [{ ID: principal, Users: [user('carried on')] }];
    expect(await anagrafe.update(records, { idempotencyKey })).toMatchObject({
      status: 503,
      code: 'UNAVAILABLE',
      tuples: [tuple],
      idempotencyKey,
    });
    expect(gateway.seen).toHaveLength(3);
    expect(await anagrafe.update(records, { idempotencyKey })).toMatchObject({ status: 200 });
  });
});

describe('a call', () => {
  it('that reads or is a dry run is sent again without a key', async () => {
    const { gateway, anagrafe } = await troubled(['lost', page]);
    expect((await anagrafe.list().page()).records).not.toEqual([]);
    gateway.networkFaults = ['lost answer'];
    const tried = await anagrafe.update([{ ID: principal, Users: [user('tried')] }], { dryRun: true });
    expect(tried.status).toBe(200);
    expect(gateway.seen).toHaveLength(5);
    expect(keysOf(gateway)).toEqual(new Set([undefined]));
  });

  it('is sent again after the Retry-After of the service, in seconds or as a date', async () => {
    // A timer may fire a few milliseconds early.
    const early = 10;
    const seconds = await troubled([{ status: 503, headers: { 'retry-after': '1' } }]);
    await seconds.anagrafe.list().page();
    const [refused, repeated] = seconds.gateway.seen;
    expect(repeated?.at).toBeGreaterThanOrEqual((refused?.at ?? 0) + 1000 - early);

    const date = await troubled([]);
    const header = new Date(Date.now() + 2000).toUTCString();
    date.gateway.networkFaults = [{ status: 503, headers: { 'retry-after': header } }];
    await date.anagrafe.list().page();
    expect(date.gateway.seen).toHaveLength(2);
    expect(date.gateway.seen[1]?.at).toBeGreaterThanOrEqual(Date.parse(header) - early);
  });

  it('fails at once if the wait would exceed its total time limit', async () => {
    const headers = { 'retry-after': '3600' };
    const { gateway, anagrafe } = await troubled([{ status: 429, headers, body: 'slow down' }]);
    await expect(anagrafe.list().page()).rejects.toMatchObject({ status: 429, retryAfter: 3600 });
    expect(gateway.seen).toHaveLength(1);
    const hasty = await troubled(['silence', 'silence'], { totalTimeoutMs: 300 });
    await expect(hasty.anagrafe.list().page()).rejects.toMatchObject({ code: 'TIMED_OUT' });
  });

  it('is not sent again after the maximum number of retries', async () => {
    const { gateway, anagrafe } = await troubled(['lost', 'lost', 'lost', 'lost'], { retries: 2 });
    const register = anagrafe.register(principal, [user('given up')]);
    await expect(register).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
      idempotencyKey: expect.any(String),
    });
    expect(gateway.seen).toHaveLength(3);
    gateway.networkFaults = ['lost'];
    const once = new Anagrafe({ url: gateway.url, retries: 0 });
    await expect(once.list().page()).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
    expect(gateway.seen).toHaveLength(4);
  });

  it('with a permanent error is not sent again', async () => {
    const { gateway, anagrafe } = await troubled([]);
    await expect(anagrafe.jobs.get('nobody')).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
    await expect(anagrafe.list({ PageSize: 0 }).page()).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
    expect(gateway.seen).toHaveLength(2);
  });

  it('that creates, rotates, removes or replays is not sent again if it may have been applied', async () => {
    const own = await startTestService();
    const gateway = await startGateway(own.url);
    const { admin } = new Anagrafe({ url: gateway.url });
    const webhook = await admin.webhooks.create({ URL: 'https://erp.example.com/' });
    const calls = [
      () => admin.webhooks.create({ URL: 'https://erp.example.com/' }),
      () => admin.webhooks.replayFailed(webhook.ID),
      () => admin.webhooks.replay(webhook.ID, '00000000-0000-0000-0000-000000000000'),
      () => admin.webhooks.remove(webhook.ID),
      () => admin.clients.rotate('agp_nobody'),
      () => admin.clients.revoke('agp_nobody'),
      () => admin.clients.create({ Name: 'erp' }),
    ];
    for (const call of calls) {
      gateway.seen.length = 0;
      gateway.networkFaults = ['lost answer'];
      await expect(call()).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
      expect(gateway.seen).toHaveLength(1);
    }
  });

  it('that creates something is sent again if the service was overloaded and has not applied it', async () => {
    const own = await startTestService();
    const gateway = await startGateway(own.url);
    const { admin } = new Anagrafe({ url: gateway.url });
    const overloaded = {
      statusCode: 503,
      errorCode: 'OVERLOADED',
      message: 'Later.',
      result: null,
      debug: null,
    };
    gateway.networkFaults = [{ status: 503, body: JSON.stringify(overloaded) }];
    expect(await admin.clients.create({ Name: 'erp' })).toMatchObject({ Name: 'erp' });
    expect(gateway.seen).toHaveLength(2);
  });
});
