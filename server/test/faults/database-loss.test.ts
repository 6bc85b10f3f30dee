import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postmasterOf } from '../engine/harness.ts';
import {
  type Answer,
  insertPrincipals,
  newUser,
  startTestService,
  type TestService,
} from '../setup/service.ts';
import { masterKey } from '../setup/store.ts';
import { storedUsernames, wrongFigures } from './figures.ts';
import { startOutside } from './outside.ts';

const healingMs = 30_000;
/** Longer than any timeout of the service should be. */
const patienceMs = 60_000;

async function status(service: TestService, path: string): Promise<number> {
  const answer = await fetch(service.url + path);
  await answer.text();
  return answer.status;
}

async function untilReady(service: TestService): Promise<void> {
  await expect.poll(() => status(service, '/health/ready'), { interval: 50 }).toBe(200);
}

/** Asks the store that the test has beside the service, whose own connections may have been lost too. */
async function stored(service: TestService): Promise<Set<string>> {
  await expect.poll(() => storedUsernames(service.database).then(Boolean, () => false)).toBe(true);
  expect(await wrongFigures(service.database)).toEqual([]);
  return storedUsernames(service.database);
}

interface Sent {
  readonly records: readonly { ID: number; Users: readonly { Username: string }[] }[];
  readonly answer: Answer;
}

/** The statuses that can be, each with the code of the whole call. */
const codeOf: Record<number, string | null> = {
  200: null,
  207: 'PARTIALLY_APPLIED',
  500: 'OUTCOME_UNKNOWN',
  503: 'UNAVAILABLE',
};

/** Compares what each tuple says with what is stored. Gives how often each thing was said. */
function compare(sent: readonly Sent[], names: ReadonlySet<string>): Map<string, number> {
  const said = new Map<string, number>();
  for (const { records, answer } of sent) {
    const { status, headers, body } = answer;
    expect(body.statusCode).toBe(status);
    expect([status, body.errorCode]).toEqual([status, codeOf[status]]);
    const codes = (body.result?.records ?? []).map((tuple) => tuple.Item2);
    if (status === 500) expect(codes).toContain('OUTCOME_UNKNOWN');
    if (status === 503) {
      expect(codes.filter((code) => code !== 'NOT_APPLIED')).toEqual([]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    for (const [n, { Users }] of records.entries()) {
      const tuple = body.result?.records[n];
      const outcome = tuple?.Item2 ?? (tuple ? 'applied' : 'UNAVAILABLE');
      said.set(outcome, (said.get(outcome) ?? 0) + 1);
      const present = Users.filter(({ Username }) => names.has(Username)).length;
      const possible = {
        applied: [Users.length],
        UNAVAILABLE: [0],
        NOT_APPLIED: [0],
        OUTCOME_UNKNOWN: [0, Users.length],
      }[outcome as string];
      expect({ outcome, present, possible }).toEqual({ outcome, present, possible: expect.any(Array) });
      expect(possible).toContain(present);
    }
  }
  return said;
}

/** Calls without a pause from several callers until it is told to stop. */
function keepCalling(service: TestService, principals: readonly number[]) {
  let going = true;
  let next = 0;
  const sent: Sent[] = [];
  async function caller(): Promise<void> {
    while (going) {
      const n = next++;
      const records = principals.slice(0, 1 + (n % 3)).map((ID, at) => ({
        ID,
        Users: [newUser(`call ${n} record ${at} a`), newUser(`call ${n} record ${at} b`)],
      }));
      sent.push({ records, answer: await service.call('irs/update', records) });
    }
  }
  const callers = Promise.all(Array.from({ length: 6 }, caller));
  onTestFinished(() => {
    going = false;
  });
  return {
    sent,
    async stop(): Promise<readonly Sent[]> {
      going = false;
      await callers;
      return sent;
    },
  };
}

describe('an outside database that goes away', () => {
  it('gives 503 with a time to come back while it is away, and all is well when it is there again', async () => {
    const outside = await startOutside();
    const service = await startTestService({
      ANAGRAFE_DATABASE_URL: outside.url,
      ANAGRAFE_MASTER_KEY: masterKey,
    });
    const [ID = 0] = await insertPrincipals(service, 1);
    expect(await status(service, '/health/ready')).toBe(200);

    await outside.stop();
    expect(await status(service, '/health/live')).toBe(200);
    // What the database said last counts for half a second.
    await expect.poll(() => status(service, '/health/ready')).toBe(503);
    for (const path of ['irs/update', 'irs/insert', 'irs/list', 'irs/users']) {
      const body =
        path === 'irs/update'
          ? [{ ID, Users: [newUser('away')] }]
          : path === 'irs/insert'
            ? [{ Surname: 'x' }]
            : {};
      const answer = await service.call(path, body);
      expect([answer.status, answer.body.errorCode, answer.body.result]).toEqual([503, 'UNAVAILABLE', null]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.text).not.toMatch(/ECONN|ENOENT|socket|terminat|postgres/i);
    }

    await outside.start();
    await untilReady(service);
    expect((await service.call('irs/update', [{ ID, Users: [newUser('back')] }])).status).toBe(200);
    expect(await stored(service)).toEqual(new Set(['back']));
    await service.stop();
  });

  it('has applied exactly what the tuples say when it goes in the middle of a call', async () => {
    const outside = await startOutside();
    const service = await startTestService({
      ANAGRAFE_DATABASE_URL: outside.url,
      ANAGRAFE_MASTER_KEY: masterKey,
    });
    const principals = await insertPrincipals(service, 40);
    const records = principals.map((ID) => ({
      ID,
      Users: [newUser(`record ${ID} a`), newUser(`record ${ID} b`), newUser(`record ${ID} c`)],
    }));
    const answer = service.call('irs/update', records);
    await expect
      .poll(async () => (await storedUsernames(service.database)).size, { interval: 5 })
      .toBeGreaterThan(6);
    await outside.stop();
    const sent = [{ records, answer: await answer }];
    await outside.start();
    await untilReady(service);
    const said = compare(sent, await stored(service));
    expect(said.get('applied')).toBeGreaterThan(0);
    expect((said.get('NOT_APPLIED') ?? 0) + (said.get('OUTCOME_UNKNOWN') ?? 0)).toBeGreaterThan(0);
    await service.stop();
  });

  it('has applied exactly what the tuples say when it hangs up on its callers again and again', async () => {
    const outside = await startOutside();
    const service = await startTestService({
      ANAGRAFE_DATABASE_URL: outside.url,
      ANAGRAFE_MASTER_KEY: masterKey,
    });
    const calling = keepCalling(service, await insertPrincipals(service, 3));
    const hangUp = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'anagrafe' and pid <> pg_backend_pid()`;
    for (let round = 0; round < 60; round++) {
      await service.database.query(hangUp).catch(() => {});
      await sleep(20 + (round % 7) * 10);
    }
    const sent = await calling.stop();
    await untilReady(service);
    const said = compare(sent, await stored(service));
    expect(said.get('applied')).toBeGreaterThan(0);
    expect(said.size).toBeGreaterThan(1);
    await service.stop();
  });

  it('does not make calls wait for ever when it is there but silent', async () => {
    const outside = await startOutside();
    const service = await startTestService({
      ANAGRAFE_DATABASE_URL: outside.url,
      ANAGRAFE_MASTER_KEY: masterKey,
    });
    const [ID = 0] = await insertPrincipals(service, 1);
    const pids = await service.database.query<{ pid: number }>('select pid from pg_stat_activity');
    const processes = [...pids.map(({ pid }) => pid), (await postmasterOf(outside.dataFolder)) ?? 0];
    const wake = () => {
      for (const pid of processes.splice(0)) process.kill(pid, 'SIGCONT');
    };
    onTestFinished(wake);
    for (const pid of processes) process.kill(pid, 'SIGSTOP');

    const call = service.call('irs/update', [{ ID, Users: [newUser('silent')] }]);
    expect(await status(service, '/health/ready')).toBe(503);
    expect(await status(service, '/health/live')).toBe(200);
    const inTime = await Promise.race([call.then((answer) => answer.status), sleep(patienceMs, 'no answer')]);
    wake();
    expect(inTime).toBe(503);
    await untilReady(service);
    expect((await service.call('irs/update', [{ ID, Users: [newUser('awake')] }])).status).toBe(200);
    await service.stop();
  });
});

describe('the embedded PostgreSQL', () => {
  it.each(['SIGINT', 'SIGQUIT', 'SIGKILL'] as const)(
    'is started again when it ends by %s, and what was answered meanwhile is true',
    async (signal) => {
      const service = await startTestService();
      const data = service.config.DATA;
      const calling = keepCalling(service, await insertPrincipals(service, 3));
      for (let round = 0; round < 2; round++) {
        const answered = calling.sent.length;
        await expect.poll(() => calling.sent.length).toBeGreaterThan(answered + 6);
        const pid = (await postmasterOf(data)) ?? 0;
        process.kill(pid, signal);
        expect(await status(service, '/health/live')).toBe(200);
        await expect.poll(() => postmasterOf(data)).not.toBe(pid);
        await untilReady(service);
      }
      const sent = await calling.stop();
      const said = compare(sent, await stored(service));
      expect(said.get('applied')).toBeGreaterThan(0);
      const [ID = 0] = await insertPrincipals(service, 1);
      expect((await service.call('irs/update', [{ ID, Users: [newUser('afterwards')] }])).status).toBe(200);
      await service.stop();
      expect(await postmasterOf(data)).toBeUndefined();
    },
  );

  it('is started again as soon as it can be, when it could not be started at first', async () => {
    const service = await startTestService();
    const data = service.config.DATA;
    const [ID = 0] = await insertPrincipals(service, 1);
    const path = join(data, 'postgres', 'postgresql.conf');
    const good = await readFile(path, 'utf8');
    await writeFile(path, `${good}\nno_such_setting = 'x'\n`);
    process.kill((await postmasterOf(data)) ?? 0, 'SIGKILL');
    await expect
      .poll(() => service.log.some((line) => line.includes('could not be started again')), {
        timeout: healingMs,
      })
      .toBe(true);
    expect(await status(service, '/health/live')).toBe(200);
    expect(await status(service, '/health/ready')).toBe(503);
    const refused = await service.call('irs/update', [{ ID, Users: [newUser('away')] }]);
    expect([refused.status, refused.body.errorCode]).toEqual([503, 'UNAVAILABLE']);

    await writeFile(path, good);
    await untilReady(service);
    expect((await service.call('irs/update', [{ ID, Users: [newUser('back')] }])).status).toBe(200);
    expect(await stored(service)).toEqual(new Set(['back']));
  });
});
