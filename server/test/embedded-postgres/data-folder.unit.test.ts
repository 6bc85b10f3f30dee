import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { prepareDataFolder } from '../../src/embedded-postgres/data-folder.ts';

it('a data folder that several first starts create at once is created for all of them', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'anagrafe-folder-'));
  // PostgreSQL runs as another user if the test runs as root.
  chmodSync(parent, 0o711);
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const data = join(parent, 'new', 'data');
  const folders = await Promise.all(
    Array.from({ length: 20 }, () => prepareDataFolder(data, { archivesLog: true })),
  );
  expect(new Set(folders.map((folder) => folder.data)).size).toBe(1);
  expect(statSync(folders[0]?.archive ?? '').isDirectory()).toBe(true);
});
