import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postmasterOf, signalPostmaster } from '@anagrafe/testing/embedded-postgres';
import { storedUsernames } from '@anagrafe/testing/figures';
import { importedUser } from '@anagrafe/testing/jobs';
import { freeze, startOutside } from '@anagrafe/testing/outside';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { masterKey } from '@anagrafe/testing/store';
import { until } from '@anagrafe/testing/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { failureKind } from '../../src/db/errors.ts';
import { compare, recordsOf, status, stored, untilReady, untilRestarted } from './database-faults.ts';
import { embeddedConnection, lockPrincipals } from './row-lock.ts';

/** Records in the order sent: at the failure, these are stored, the next are being written, and the rest wait. */
const storedBefore = 4;
/** The service writes four records of a call at a time. */
const beingWritten = 4;
const waiting = 4;

/** Sends a call and returns when it has stored some of its records and is blocked on others, which are locked. */
async function callInTheMiddle(
  service: TestService,
  connection: Parameters<typeof lockPrincipals>[0],
  prefix: string,
) {
  const principals = await insertPrincipals(service, storedBefore + beingWritten + waiting);
  const records = recordsOf(principals, prefix);
  const earlier = (await storedUsernames(service.database)).size;
  // Only `beingWritten` of the locked records are sent to PostgreSQL at once; the others wait in the service.
  const lock = await lockPrincipals(connection, principals.slice(storedBefore));
  const answer = service.call('irs/update', records);
  await lock.blocked(beingWritten);
  const users = records.slice(0, storedBefore).flatMap(({ Users }) => Users).length;
  await until(async () => (await storedUsernames(service.database)).size === earlier + users);
  return { records, answer, lock };
}

async function startOnOutside() {
  const outside = await startOutside();
  const settings = { ANAGRAFE_DATABASE_URL: outside.url, ANAGRAFE_MASTER_KEY: masterKey };
  return { outside, service: await startTestService(settings) };
}

describe('a service on an external database', () => {
  it('answers 503 with Retry-After while the database is stopped, and works again when it is started', async () => {
    const { outside, service } = await startOnOutside();
    const [ID = 0] = await insertPrincipals(service, 1);
    await expect.poll(() => status(service, '/health/ready')).toBe(200);

    await outside.stop();
    expect(await status(service, '/health/live')).toBe(200);
    // The latest answer of the database is reused for half a second.
    await expect.poll(() => status(service, '/health/ready')).toBe(503);
    for (const path of ['irs/update', 'irs/insert', 'irs/list', 'irs/users']) {
      const body =
        path === 'irs/update'
          ? [{ ID, Users: [importedUser('away')] }]
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
    expect((await service.call('irs/update', [{ ID, Users: [importedUser('back')] }])).status).toBe(200);
    expect(await stored(service)).toEqual(new Set(['back']));
    await service.stop();
  });

  it('has stored exactly what the tuples report when the database stops during a call', async () => {
    const { outside, service } = await startOnOutside();
    const { records, answer } = await callInTheMiddle(service, outside.url, 'stop');
    await outside.stop();
    const sent = [{ records, answer: await answer }];
    await outside.start();
    await untilReady(service);
    const counts = compare(sent, await stored(service));
    expect(counts.get('applied')).toBeGreaterThanOrEqual(storedBefore);
    expect((counts.get('NOT_APPLIED') ?? 0) + (counts.get('OUTCOME_UNKNOWN') ?? 0)).toBeGreaterThanOrEqual(
      waiting,
    );
    await service.stop();
  });

  it('is not ready while the database does not answer, and its statements fail', async () => {
    const { outside, service } = await startOnOutside();
    const open = (limits: { statementMs?: number; connectMs?: number }) =>
      openDatabase({
        connection: { connectionString: outside.url },
        poolSize: 1,
        onLostConnection: () => {},
        ...limits,
      });
    const connected = open({ statementMs: 100 });
    const unconnected = open({ connectMs: 100 });
    // On a slow machine even this statement may take longer than its limit.
    await until(() => connected.query('select 1').then(Boolean, () => false));
    const thaw = await freeze(outside.dataFolder, service.database);
    const kindOf = (query: Promise<unknown>) => query.then(() => 'answered', failureKind);
    const kinds = Promise.all([connected, unconnected].map((database) => kindOf(database.query('select 1'))));
    expect(await status(service, '/health/ready')).toBe(503);
    expect(await status(service, '/health/live')).toBe(200);
    // The first statement was sent on the open connection; the second was not sent, because connecting failed.
    expect(await kinds).toEqual(['unknown', 'notWritten']);
    thaw();
    await untilReady(service);
    const [ID = 0] = await insertPrincipals(service, 1);
    expect((await service.call('irs/update', [{ ID, Users: [importedUser('awake')] }])).status).toBe(200);
    await Promise.all([connected.close(), unconnected.close()]);
    await service.stop();
  });
});

describe('a service whose database closes connections', () => {
  it('has stored exactly what the tuples report, and writes the waiting records on other connections', async () => {
    const service = await startTestService();
    const url = service.config.DATABASE_URL ?? '';
    const { records, answer, lock } = await callInTheMiddle(service, url, 'terminate');
    expect(await lock.terminateBlocked()).toBe(beingWritten);
    await lock.release();
    const sent = [{ records, answer: await answer }];
    const counts = compare(sent, await stored(service));
    // Nothing of them was sent but the statements that lock their principals.
    expect(counts.get('NOT_APPLIED')).toBe(beingWritten);
    expect(counts.get('applied')).toBe(storedBefore + waiting);
  });
});

describe('a service on the embedded PostgreSQL', () => {
  let service: TestService;
  let data: string;
  beforeAll(async () => {
    service = await startTestService({}, { embedded: true });
    data = service.config.DATA;
  });

  it.each(['SIGINT', 'SIGQUIT', 'SIGKILL'] as const)(
    'restarts PostgreSQL after %s, and has stored exactly what the tuples report',
    async (signal) => {
      const { records, answer } = await callInTheMiddle(service, embeddedConnection(data), signal);
      const pid = await signalPostmaster(data, signal);
      expect(await status(service, '/health/live')).toBe(200);
      const sent = [{ records, answer: await answer }];
      await untilRestarted(service, pid);
      const counts = compare(sent, await stored(service));
      expect(counts.get('applied')).toBeGreaterThanOrEqual(storedBefore);
      expect(counts.size).toBeGreaterThan(1);
      const [ID = 0] = await insertPrincipals(service, 1);
      const afterwards = [{ ID, Users: [importedUser(`after ${signal}`)] }];
      expect((await service.call('irs/update', afterwards)).status).toBe(200);
    },
  );

  it('retries the restart of PostgreSQL until it succeeds', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const path = join(data, 'postgres', 'postgresql.conf');
    const good = await readFile(path, 'utf8');
    await writeFile(path, `${good}\nno_such_setting = 'x'\n`);
    const pid = await signalPostmaster(data, 'SIGKILL');
    await until(() => service.log.some((line) => line.includes('could not be restarted')));
    expect(await status(service, '/health/live')).toBe(200);
    await expect.poll(() => status(service, '/health/ready')).toBe(503);
    const refused = await service.call('irs/update', [{ ID, Users: [importedUser('away')] }]);
    expect([refused.status, refused.body.errorCode]).toEqual([503, 'UNAVAILABLE']);

    await writeFile(path, good);
    await untilRestarted(service, pid);
    expect((await service.call('irs/update', [{ ID, Users: [importedUser('back')] }])).status).toBe(200);
    const names = await stored(service);
    expect([names.has('away'), names.has('back')]).toEqual([false, true]);
  });

  it('leaves no PostgreSQL running when it is stopped after a restart', async () => {
    const other = await startTestService({}, { embedded: true });
    const pid = await signalPostmaster(other.config.DATA, 'SIGINT');
    await untilRestarted(other, pid);
    await other.stop();
    expect(await postmasterOf(other.config.DATA)).toBeUndefined();
  });
});
