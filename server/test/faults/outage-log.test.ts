import { setTimeout as sleep } from 'node:timers/promises';
import { childStore } from '@anagrafe/testing/child';
import { importedUser, submit } from '@anagrafe/testing/jobs';
import { startProxy } from '@anagrafe/testing/proxy';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { status, untilReady } from './database-faults.ts';
import { lockPrincipals } from './row-lock.ts';

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly err?: unknown;
  readonly reason?: string;
  readonly failures?: number;
  readonly seconds?: number;
}

const linesOf = ({ log }: TestService) => log.map((line) => JSON.parse(line) as LogLine);

async function startBehindProxy() {
  const store = await childStore();
  const proxy = await startProxy(store.url);
  const service = await startTestService({ ...store.settings, ANAGRAFE_DATABASE_URL: proxy.url });
  return { store, proxy, service };
}

describe('the log of a service that loses its database', () => {
  it('has one line when the outage begins and one when it ends, whatever fails in between', async () => {
    const { store, proxy, service } = await startBehindProxy();
    const [ID = 0, ofJob = 0, ofCall = 0] = await insertPrincipals(service, 3);
    const lock = await lockPrincipals(store.url, [ofJob, ofCall]);
    // A job and a call are writing when the connections break.
    await submit(service, 'irs/update', [{ ID: ofJob, Users: [importedUser('of the job')] }]);
    await lock.blocked(1);
    const call = service.call('irs/update', [{ ID: ofCall, Users: [importedUser('of the call')] }]);
    await lock.blocked(2);
    const before = service.log.length;

    proxy.cut();
    expect((await call).status).toBe(503);
    await expect.poll(() => status(service, '/health/ready')).toBe(503);
    for (let n = 0; n < 10; n++) {
      expect((await service.call('irs/list', {})).status).toBe(503);
      const refused = await service.call('irs/update', [{ ID, Users: [importedUser(`user ${n}`)] }]);
      expect(refused.status).toBe(503);
      // The queue and the writer of the hash chain fail several times in this loop.
      await sleep(200);
    }
    await lock.release();
    await proxy.restore();
    await untilReady(service);

    // Excludes lines of the level info and the line that the service logs for every HTTP call.
    const warnings = () =>
      linesOf(service)
        .slice(before)
        .filter(({ level, msg }) => level !== 'info' && msg !== 'call');
    await expect.poll(() => warnings().some(({ msg }) => msg === 'database available again')).toBe(true);
    expect(warnings().map(({ level, msg }) => [level, msg])).toEqual([
      ['warn', 'database unavailable; errors are counted instead of logged until it is available again'],
      ['warn', 'database available again'],
    ]);
    const [began, ended] = warnings();
    expect(began?.reason).toMatch(/Connection terminated|ECONNRE/);
    expect(began?.err).toBeUndefined();
    expect(ended?.failures).toBeGreaterThan(20);
    expect(ended?.seconds).toBeGreaterThan(0);
    await service.stop();
  });
});
