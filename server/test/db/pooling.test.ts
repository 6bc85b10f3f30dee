import { childStore } from '@anagrafe/testing/child';
import { startPooler } from '@anagrafe/testing/pooler';
import { insertPrincipals, startTestService } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { examineStore } from '../../src/cli/doctor/database.ts';
import type { Finding } from '../../src/cli/doctor/findings.ts';
import { openDatabase } from '../../src/db/database.ts';
import { openLog } from '../../src/lib/log.ts';
import { startService } from '../../src/main.ts';
import { readConfig } from '../../src/settings/config.ts';

async function behindPooler(options: Parameters<typeof startPooler>[1]) {
  const { settings, url } = await childStore();
  return { ...settings, ANAGRAFE_DATABASE_URL: await startPooler(url, options), ANAGRAFE_PORT: '0' };
}

const advice = /pool_mode = session/;

describe('a service behind a pooler in transaction mode', () => {
  it.each([
    { size: 1, roundRobin: false },
    { size: 2, roundRobin: true },
    { size: 3, roundRobin: true },
    { size: 20, roundRobin: false },
    { size: 20, roundRobin: true },
  ])('does not start when the pooler has %o', async (pool) => {
    const config = readConfig(await behindPooler({ mode: 'transaction', ...pool }));
    const start = startService(config, openLog('fatal'), null);
    await expect(start.then((service) => service.stop())).rejects.toThrow(advice);
  });

  it('fails the database check of the doctor command', async () => {
    const config = readConfig(await behindPooler({ mode: 'transaction' }));
    const findings: Finding[] = [];
    for await (const finding of examineStore(config, { withKey: true })) findings.push(finding);
    expect(findings).toEqual([
      {
        check: 'database',
        severity: 'error',
        code: 'transaction_pooling',
        fields: { problem: expect.stringMatching(/transaction/), advice: expect.stringMatching(advice) },
      },
    ]);
  });
});

describe('a service behind a pooler in session mode', () => {
  it('starts and works', async () => {
    const service = await startTestService(await behindPooler({ mode: 'session' }));
    expect(await insertPrincipals(service, 2)).toHaveLength(2);
    await service.stop();
  });

  it('has its statement timeout even if the pooler ignores startup parameters', async () => {
    const { ANAGRAFE_DATABASE_URL } = await behindPooler({ mode: 'session', ignored: ['statement_timeout'] });
    const database = openDatabase({
      connection: { connectionString: ANAGRAFE_DATABASE_URL },
      poolSize: 1,
      statementMs: 7000,
      onLostConnection: () => {},
    });
    const [setting] = await database.query(`select current_setting('statement_timeout') as limit`);
    await database.close();
    expect(setting).toEqual({ limit: '7s' });
  });
});
