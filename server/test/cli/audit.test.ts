import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { anagrafe, dataFolder, expectOneLine, inProcess, usedFolder } from '@anagrafe/testing/command';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { masterKey } from '@anagrafe/testing/store';
import { beforeAll, describe, expect, it } from 'vitest';

type Settings = Record<string, string>;
let settings: Settings;

/** Starts a service whose audit log has three rows. */
async function startWithRows(): Promise<{ service: TestService; settings: Settings }> {
  const service = await startTestService();
  await insertPrincipals(service, 2);
  await allHashed(service);
  const { DATABASE_URL } = service.config;
  return {
    service,
    settings: { ANAGRAFE_DATABASE_URL: DATABASE_URL ?? '', ANAGRAFE_MASTER_KEY: masterKey },
  };
}

beforeAll(async () => {
  ({ settings } = await startWithRows());
});

describe('audit', () => {
  it('verify reports that the hash chain is intact, and prints its last position and hash', async () => {
    const { code, stdout, stderr } = await anagrafe(['audit', 'verify'], settings);
    expect(stdout).toMatch(/^3:[0-9a-f]{64}\n$/);
    expect([code, stderr]).toEqual([0, 'Audit log verified: 3 rows are intact.\n']);
    const again = await inProcess(['audit', 'verify', '--expect', stdout, '--json'], settings);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toEqual({ sound: true, rows: 3, last: stdout.trim() });
  });

  it('export writes every row as a line of JSON', async () => {
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

  it('verify rejects a malformed value of --expect', async () => {
    for (const end of ['3', '3:xyz', 'x:00', '-1:'])
      expectOneLine(
        await inProcess(['audit', 'verify', '--expect', end], settings),
        /--expect.*audit verify/,
      );
  });

  it('verify reports a missing or wrong master key instead of changed rows', async () => {
    const folder = await usedFolder();
    const embedded = { ANAGRAFE_DATA: folder };
    const other = { ...embedded, ANAGRAFE_MASTER_KEY: Buffer.alloc(32).toString('base64') };
    expectOneLine(await inProcess(['audit', 'verify'], other), /is not the master key/);
    await rename(join(folder, 'master.key'), join(folder, 'master.key.away'));
    expectOneLine(await inProcess(['audit', 'verify'], embedded), /master\.key is missing/);
  });

  it('verify exits with code 1 and names the row that was removed', async () => {
    const broken = await startWithRows();
    const verify = (...options: string[]) => inProcess(['audit', 'verify', ...options], broken.settings);
    const { stdout: end } = await verify();
    await broken.service.database.query('delete from anagrafe.audit_log where position = 2');
    const { code, stdout, stderr } = await verify('--expect', end);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe('The audit log is not intact: row 2 was removed. Earlier rows that are intact: 1.\n');
    const json = await verify('--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toEqual({ sound: false, rows: 1, position: 2, error: 'removed' });
  });

  it('verify reports that a database on which no service has run has no master key yet', async () => {
    const fresh = { ANAGRAFE_DATA: dataFolder() };
    await inProcess(['migrate'], fresh);
    expectOneLine(await inProcess(['audit', 'verify'], fresh), /has no master key yet/);
  });
});
