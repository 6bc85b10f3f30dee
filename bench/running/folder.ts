import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AtEnd } from './endings.ts';

/** Creates a folder that only its owner can access; it is deleted when the benchmark ends. */
export function temporaryFolder(atEnd: AtEnd): string {
  const folder = join(tmpdir(), `anagrafe-peer-${randomBytes(4).toString('hex')}`);
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}
