import { existsSync } from 'node:fs';
import { databaseSettings, serve } from '@anagrafe/testing/command';
import { atEnd } from '@anagrafe/testing/endings';
import { newWorkFolder, type WorkFolder } from '@anagrafe/testing/importing';
import { holding, principalLock } from '@anagrafe/testing/jobs';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';
import { readConfig } from '../../../server/src/settings/config.ts';
import { openStore } from '../../../server/src/store.ts';
import { batchLimits } from '../../src/index.ts';

/** A bcrypt hash: unlike argon2id, it has no comma, so it needs no quotes in CSV. */
const importedHash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';
/** Number of rows that the importer sends in one call: their notes reach the size limit of a batch. */
const batch = 20;
const note = 'x'.repeat(Math.ceil(batchLimits.characters / batch));
const range = (count: number) => Array.from({ length: count }, (_, n) => n);

function rowsDone(folder: WorkFolder): number {
  const name = 'away.csv.progress';
  return existsSync(folder.path(name)) ? JSON.parse(folder.read(name)).done.rows : 0;
}

it('an import continues when the service is killed and started again', async () => {
  const settings = await databaseSettings();
  const first = await serve(settings);
  const folder = newWorkFolder(first);
  const store = await openStore(readConfig(settings), { mode: 'existing', log: () => {} });
  atEnd(store.close);
  const call = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${first.url}/api/sync/v1/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { result: { totalCount: number; records: { Item1: number }[] } }).result;
  };
  const { records } = await call('irs/insert', [{ ExternalKey: 'B', Denomination: 'Away' }]);
  const rows = batch + 5;
  const lines = range(rows).map((n) => `${n < batch ? 'A' : 'B'},Away,away ${n},${importedHash},${note}`);
  folder.write('away.csv', `ExternalKey,Denomination,Username,PasswordHash,Note\n${lines.join('\n')}\n`);
  const running = folder.run(['import', 'away.csv']);
  // The lock blocks the second batch until the service has been killed and started again.
  await holding(store, principalLock(records[0]?.Item1 ?? 0), async ({ blocked }) => {
    await blocked(1);
    await until(
      () => rowsDone(folder) === batch,
      () => `${batch} rows to be done; ${rowsDone(folder)} are`,
    );
    await first.end('SIGKILL');
    await serve({ ...settings, ANAGRAFE_PORT: new URL(first.url).port });
  });
  const { code, stderr } = await running;
  expect([code, stderr]).toEqual([0, expect.stringContaining('25 of 25 rows applied')]);
  expect((await call('irs/users', {})).totalCount).toBe(rows);
});
