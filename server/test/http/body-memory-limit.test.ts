import { credential } from '@anagrafe/testing/admin';
import { holding } from '@anagrafe/testing/jobs';
import { asUser, login, registerUsers, signedIn } from '@anagrafe/testing/login';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { headOf, openWire, type Wire } from '@anagrafe/testing/wire';
import { Agent, request } from 'undici';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BodyBudget } from '../../src/http/body-memory-limit.ts';
import { required } from '../../src/lib/required.ts';

const overloaded = expect.objectContaining({ detail: expect.objectContaining({ code: 'OVERLOADED' }) });
const catching = (work: () => void) => {
  try {
    work();
    return null;
  } catch (error) {
    return error;
  }
};

describe('a body budget', () => {
  it('refuses bytes above the total, and accepts them after a body is released', () => {
    const budget = new BodyBudget({ total: 100, perCaller: 100, guaranteed: 0, evicts: false });
    const [one, other] = [budget.open('one', () => {}), budget.open('other', () => {})];
    one.add(60);
    expect(catching(() => other.add(50))).toEqual(overloaded);
    one.release();
    one.release();
    other.add(100);
    expect(catching(() => other.add(1))).toEqual(overloaded);
  });

  it('limits one caller to its share and leaves the rest for others', () => {
    const budget = new BodyBudget({ total: 100, perCaller: 50, guaranteed: 0, evicts: false });
    const bodies = ['one', 'one', 'other'].map((caller) => budget.open(caller, () => {}));
    bodies[0]?.add(30);
    expect(catching(() => bodies[1]?.add(30))).toEqual(overloaded);
    bodies[2]?.add(50);
  });

  it('guarantees each caller its part when others use the total', () => {
    const budget = new BodyBudget({ total: 100, perCaller: 50, guaranteed: 10, evicts: false });
    for (const caller of ['one', 'other']) budget.open(caller, () => {}).add(50);
    budget.open('small', () => {}).add(8);
    expect(catching(() => budget.open('small', () => {}).add(3))).toEqual(overloaded);
    budget.open('small', () => {}).add(2);
    expect(catching(() => budget.open('one', () => {}).add(1))).toEqual(overloaded);
  });

  it('no longer counts a body that it evicted for another body of the same caller', () => {
    const budget = new BodyBudget({ total: 100, perCaller: 60, guaranteed: 0, evicts: true });
    budget.open('one', () => {}).add(40);
    budget.open('other', () => {}).add(60);
    budget.open('one', () => {}).add(20);
    expect(() => budget.open('one', () => {}).add(40)).not.toThrow();
  });

  it('evicts the oldest incomplete body, and never a complete one', () => {
    const budget = new BodyBudget({ total: 100, perCaller: 100, guaranteed: 0, evicts: true });
    const ended: string[] = [];
    const open = (name: string) => budget.open(name, () => ended.push(name));
    const [complete, slow, slower] = [open('complete'), open('slow'), open('slower')];
    for (const body of [complete, slow, slower]) body.add(30);
    complete.complete();
    open('new').add(30);
    expect(ended).toEqual(['slow']);
    const last = open('last');
    expect(catching(() => last.add(71))).toEqual(overloaded);
  });
});

describe('bodies without a client credential', () => {
  const size = 16_384;
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
    await registerUsers(service, 'mario');
  });

  /** Sends a login without its last byte. */
  async function incompleteLogin(): Promise<Wire> {
    const wire = await openWire(service.url);
    onTestFinished(() => {
      wire.socket.destroy();
    });
    wire.socket.write(headOf(service.url, 'login', { 'Content-Length': size }) + ' '.repeat(size - 1));
    return wire;
  }

  it('use only the share of their address while incomplete, and not the memory of clients', async () => {
    // 80 bodies of 16 KiB exceed the share of one address, 1 MiB.
    const wires = await Promise.all(Array.from({ length: 80 }, incompleteLogin));
    const answers = wires.map((wire) => wire.answer());
    // Bodies above the share are refused; the sockets of the others are still open.
    await Promise.any(
      answers.map(async (answer) => {
        if ((await answer)?.status !== 503) throw new Error('another answer');
      }),
    );
    const [ID = 0] = await insertPrincipals(service, 1);
    expect(ID).toBeGreaterThan(0);
    const elsewhere = new Agent({ localAddress: '127.0.0.9' });
    onTestFinished(() => elsewhere.close());
    const signIn = await request(`${service.url}/api/sync/v1/login`, {
      dispatcher: elsewhere,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Username: 'mario', Password: 'wrong password' }),
    });
    expect(signIn.statusCode).toBe(401);
    await signIn.body.dump();
    // The service answers a body that stays incomplete with 408.
    const ended = await Promise.all(answers);
    expect(new Set(ended.map((answer) => answer?.status))).toEqual(new Set([408, 503]));
  });

  it('get 413 above the small limit for logins and for signed-in users', async () => {
    const large = { Username: 'mario', Password: 'x'.repeat(size) };
    const { status, body } = await service.call('login', large);
    expect([status, body.errorCode]).toEqual([413, 'BODY_TOO_LARGE']);
    const { principal, ids } = await registerUsers(service, 'anna');
    const anna = await signedIn(service, 'anna');
    const padded = [{ ID: principal, Users: [{ ID: ids[0], Password: 'x'.repeat(70_000) }] }];
    expect((await service.call('irs/update', padded, asUser(anna))).status).toBe(413);
    expect((await login(service, 'anna')).status).toBe(200);
  });
});

describe('calls of the largest size', () => {
  /** Sends a call and returns its status, or the error code if it is OVERLOADED. The tuples are not parsed. */
  async function send(service: TestService, path: string, body: string, client: Record<string, string>) {
    const { statusCode, body: answer } = await request(`${service.url}/api/sync/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...client },
      body,
    });
    const text = await answer.text();
    return text.includes('"errorCode":"OVERLOADED"') ? 'OVERLOADED' : statusCode;
  }

  /** Sends calls that cannot read the database until one of them is refused. Returns the results of all of them. */
  async function refusedTogether(service: TestService, sendAll: () => Promise<string | number>[]) {
    const lock = 'lock table anagrafe.principals in access exclusive mode';
    const answers = await holding(service, [lock], async () => {
      const sent = sendAll();
      await Promise.any(
        sent.map(async (answer) => {
          if ((await answer) !== 'OVERLOADED') throw new Error('another answer');
        }),
      );
      return sent;
    });
    return new Set(await Promise.all(answers));
  }

  const recordsOf = (count: number) => `[${'{"ID":1},'.repeat(count).slice(0, -1)}]`;

  it('get 503 as dry runs while the records of other clients use up the memory, and are accepted otherwise', async () => {
    const service = await startTestService({
      ANAGRAFE_MAX_BODY_BYTES: '65536',
      ANAGRAFE_MAX_JOB_RECORDS: '5000',
      ANAGRAFE_MAX_JOB_USERS: '1',
    });
    const dryRun = (client: Record<string, string>) =>
      send(service, 'irs/update?dryRun=true', recordsOf(5000), client);
    // The share of each client suffices for its call. There is memory for two of them.
    const clients = await Promise.all(Array.from({ length: 5 }, () => credential(service)));
    const results = await refusedTogether(service, () => clients.map(dryRun));
    expect(results).toEqual(new Set([422, 'OVERLOADED']));
    expect(await dryRun(required(clients[0]))).toBe(422);
  });

  it('get 503 as synchronous calls while another one of the same client uses up its share', async () => {
    const service = await startTestService({
      ANAGRAFE_MAX_BODY_BYTES: '1048576',
      ANAGRAFE_MAX_USERS: '1',
      ANAGRAFE_MAX_JOB_RECORDS: '1000',
      ANAGRAFE_MAX_JOB_USERS: '1',
    });
    const client = await credential(service);
    const call = () => send(service, 'irs/update', recordsOf(1000), client);
    expect(await refusedTogether(service, () => [call(), call()])).toEqual(new Set([422, 'OVERLOADED']));
    expect(await call()).toBe(422);
  });

  it('get 503 before their stored outcomes are read, if another call of the same client uses up its share', async () => {
    const service = await startTestService({
      ANAGRAFE_MAX_BODY_BYTES: '1048576',
      ANAGRAFE_MAX_USERS: '1',
      ANAGRAFE_MAX_JOB_RECORDS: '1000',
      ANAGRAFE_MAX_JOB_USERS: '1',
    });
    const client = await credential(service);
    const withKey = (key: string) =>
      send(service, 'irs/update', recordsOf(1000), { ...client, 'idempotency-key': key });
    const keys = ['completed', 'to-resume'];
    for (const key of keys) expect(await withKey(key)).toBe(422);
    await service.database.query(
      `update anagrafe.calls set state = 'open', lease_id = null where idempotency_key = 'to-resume'`,
    );
    const locks = 'lock table anagrafe.principals, anagrafe.outcomes in access exclusive mode';
    const large = await holding(service, [locks], async ({ blocked }) => {
      const first = send(service, 'irs/update', recordsOf(1000) + ' '.repeat(900_000), client);
      await blocked(1);
      expect(await Promise.all(keys.map(withKey))).toEqual(['OVERLOADED', 'OVERLOADED']);
      return [first] as const;
    });
    expect(await large[0]).toBe(422);
    for (const key of keys) expect(await withKey(key)).toBe(422);
  });
});
