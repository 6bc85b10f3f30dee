import { setTimeout as sleep } from 'node:timers/promises';
import { postmasterOf, signalPostmaster } from '@anagrafe/testing/embedded-postgres';
import { importedUser } from '@anagrafe/testing/jobs';
import { freeze, startOutside } from '@anagrafe/testing/outside';
import { inRounds } from '@anagrafe/testing/rounds';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { masterKey } from '@anagrafe/testing/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  compare,
  recordsOf,
  type Sent,
  status,
  stored,
  untilReady,
  untilRestarted,
} from './database-faults.ts';

/** Starts six callers that each send one call after another until `stop` is called. */
function keepCalling(service: TestService, principals: readonly number[]) {
  let running = true;
  let next = 0;
  const sent: Sent[] = [];
  async function caller(): Promise<void> {
    while (running) {
      const n = next++;
      const records = recordsOf(principals.slice(0, 1 + (n % 3)), `call ${n} record`);
      sent.push({ records, answer: await service.call('irs/update', records) });
    }
  }
  const callers = Promise.all(Array.from({ length: 6 }, caller));
  onTestFinished(() => {
    running = false;
  });
  return {
    sent,
    async stop(): Promise<readonly Sent[]> {
      running = false;
      await callers;
      return sent;
    },
  };
}

describe('an external database', () => {
  it('has stored exactly what the tuples report after it has closed all connections many times', async () => {
    const outside = await startOutside();
    const service = await startTestService({
      ANAGRAFE_DATABASE_URL: outside.url,
      ANAGRAFE_MASTER_KEY: masterKey,
    });
    const calling = keepCalling(service, await insertPrincipals(service, 3));
    const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'anagrafe' and pid <> pg_backend_pid()`;
    await inRounds('database-loss, closed connections', 10, async () => {
      for (let n = 0; n < 10; n++) {
        await service.database.query(terminate).catch(() => {});
        await sleep(20 + (n % 7) * 10);
      }
    });
    const sent = await calling.stop();
    await untilReady(service);
    const counts = compare(sent, await stored(service));
    expect(counts.get('applied')).toBeGreaterThan(0);
    expect(counts.size).toBeGreaterThan(1);
    await service.stop();
  });

  it('makes a call fail with 503 while it accepts connections but does not answer', async () => {
    const outside = await startOutside();
    const service = await startTestService({
      ANAGRAFE_DATABASE_URL: outside.url,
      ANAGRAFE_MASTER_KEY: masterKey,
    });
    const [ID = 0] = await insertPrincipals(service, 1);
    const thaw = await freeze(outside.dataFolder, service.database);
    const silent = await service.call('irs/update', [{ ID, Users: [importedUser('silent')] }]);
    thaw();
    expect(silent.status).toBe(503);
    await untilReady(service);
    expect((await service.call('irs/update', [{ ID, Users: [importedUser('awake')] }])).status).toBe(200);
    await service.stop();
  });
});

describe('the embedded PostgreSQL', () => {
  it.each(['SIGINT', 'SIGQUIT', 'SIGKILL'] as const)(
    'is restarted each time %s ends it, and has stored exactly what the tuples report',
    async (signal) => {
      const service = await startTestService({}, { embedded: true });
      const data = service.config.DATA;
      const calling = keepCalling(service, await insertPrincipals(service, 3));
      await inRounds(`database-loss, ${signal}`, 10, async () => {
        const answered = calling.sent.length;
        await expect.poll(() => calling.sent.length).toBeGreaterThan(answered + 6);
        const pid = await signalPostmaster(data, signal);
        expect(await status(service, '/health/live')).toBe(200);
        await untilRestarted(service, pid);
      });
      const sent = await calling.stop();
      const counts = compare(sent, await stored(service));
      expect(counts.get('applied')).toBeGreaterThan(0);
      const [ID = 0] = await insertPrincipals(service, 1);
      expect((await service.call('irs/update', [{ ID, Users: [importedUser('afterwards')] }])).status).toBe(
        200,
      );
      await service.stop();
      expect(await postmasterOf(data)).toBeUndefined();
    },
  );
});
