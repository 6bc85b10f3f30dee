import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/store.ts';
import { copyStore } from '../setup/store.ts';
import { anagrafe, dataFolder, expectOneLine, serve } from './command.ts';

const settings = { ANAGRAFE_DATA: dataFolder() };

async function change(sql: string): Promise<void> {
  const store = await openStore(readConfig(settings), { as: 'visitor', log: () => {} });
  await store.database.query(sql).finally(() => store.close());
}

beforeAll(async () => {
  await copyStore(settings.ANAGRAFE_DATA);
  const service = await serve(settings);
  await fetch(`${service.url}/api/sync/v1/irs/insert`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ Name: 'one' }, { Name: 'two' }]),
  });
  await expect
    .poll(async () => (await anagrafe(['audit', 'export'], settings)).stdout)
    .toMatch(/call\.completed.*"Seal":"/);
  await service.end('SIGTERM');
});

describe('audit', () => {
  it('says that the journal is sound, and prints its end for a note', async () => {
    const { code, stdout, stderr } = await anagrafe(['audit', 'verify'], settings);
    expect(stdout).toMatch(/^3:[0-9a-f]{64}\n$/);
    expect([code, stderr]).toEqual([0, 'The journal is sound: 3 rows are as they were written.\n']);
    const again = await anagrafe(['audit', 'verify', '--expect', stdout, '--json'], settings);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toEqual({ sound: true, rows: 3, last: stdout.trim() });
  });

  it('writes every row as a line of JSON', async () => {
    const { code, stdout, stderr } = await anagrafe(['audit', 'export', '--json'], settings);
    expect([code, stderr]).toEqual([0, '']);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ Position, Action }) => [Position, Action])).toEqual([
      [1, 'insert'],
      [2, 'insert'],
      [3, 'call.completed'],
    ]);
  });

  it('takes nothing for a noted end that is none', async () => {
    for (const end of ['3', '3:xyz', 'x:00', '-1:'])
      expectOneLine(await anagrafe(['audit', 'verify', '--expect', end], settings), /--expect.*audit verify/);
  });

  it('says that the master key is missing or another one, and not that rows were changed', async () => {
    const key = join(settings.ANAGRAFE_DATA, 'master.key');
    const other = { ...settings, ANAGRAFE_MASTER_KEY: Buffer.alloc(32).toString('base64') };
    expectOneLine(await anagrafe(['audit', 'verify'], other), /is not the master key/);
    await rename(key, `${key}.away`);
    expectOneLine(await anagrafe(['audit', 'verify'], settings), /master\.key is missing/);
    await rename(`${key}.away`, key);
  });

  it('ends with code 1 and names the row, where one was changed', async () => {
    const { stdout: end } = await anagrafe(['audit', 'verify'], settings);
    await change('delete from anagrafe.journal where position = 2');
    const { code, stdout, stderr } = await anagrafe(['audit', 'verify', '--expect', end], settings);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'The journal is broken: row 2 is the first that was removed. Of those before it, 1 hold.\n',
    );
    const json = await anagrafe(['audit', 'verify', '--json'], settings);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toEqual({ sound: false, rows: 1, position: 2, fault: 'removed' });
  });

  it('has nothing to say of a store on which no service has run', async () => {
    const fresh = { ANAGRAFE_DATA: dataFolder() };
    await anagrafe(['migrate'], fresh);
    expectOneLine(await anagrafe(['audit', 'verify'], fresh), /has no master key yet/);
  });
});
