import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sweep } from '../embedded-postgres/data-folder.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { readBackupFiles } from './backup-files.ts';
import { type Backup, syncFolder } from './backup-folder.ts';

/** A start of PostgreSQL removes folders with this name, too. */
const unfinished = 'postgres.new-';

/** Writes the files of a backup into the data folder, which must have no database. A later start recovers them. */
export async function restoreFiles(
  { folder, isEncrypted }: Backup,
  dataFolder: string,
  keyRing: KeyRing,
): Promise<void> {
  const keyOfSalt = isEncrypted ? (salt: Buffer) => keyRing.backupKey(salt) : null;
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  await sweep(dataFolder, unfinished);
  const cluster = await mkdtemp(join(dataFolder, unfinished));
  try {
    await readBackupFiles(folder, keyOfSalt, async (path, content) => {
      if (path.endsWith('/')) await mkdir(join(cluster, path), { recursive: true, mode: 0o700 });
      else
        await pipeline(
          content,
          createWriteStream(join(cluster, path), { mode: 0o600, flush: true, flags: 'wx' }),
        );
    });
    for (const name of await readdir(cluster, { recursive: true, withFileTypes: true }))
      if (name.isDirectory()) await syncFolder(join(name.parentPath, name.name));
    await rename(cluster, join(dataFolder, 'postgres'));
    await syncFolder(dataFolder);
  } finally {
    await rm(cluster, { recursive: true, force: true });
  }
}
