import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sweep, unfinishedRestore } from '../embedded-postgres/data-folder.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { archiveKey, readBackupFiles } from './backup-files.ts';
import { type RestorePlan, requireAuthentic, syncFolder } from './backup-folder.ts';
import { unpackLog } from './log-archive.ts';
import { prepareRecovery, recoveryLogIn } from './recovery.ts';

/** A start of PostgreSQL removes folders with this name, too. */
const unfinished = 'postgres.new-';

/**
 * Writes the files of a backup, and of the log after it, into the data folder, which must have no database. The first
 * start of PostgreSQL recovers them to the target. Returns the last file of the log; null if there is none, or the target
 * is another one than its end.
 */
export async function restoreFiles(
  { backup, target }: RestorePlan,
  dataFolder: string,
  keyRing: KeyRing,
): Promise<string | null> {
  const { folder, isEncrypted, firstLogFile, digests } = backup;
  requireAuthentic(backup, keyRing);
  const keyOfName = (name: string) => (salt: Buffer) => keyRing.backupKeys(salt, name);
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  await sweep(dataFolder, unfinished);
  const cluster = await mkdtemp(join(dataFolder, unfinished));
  try {
    await readBackupFiles(
      folder,
      { keyOfSalt: isEncrypted ? keyOfName(archiveKey) : null, digests },
      async (path, content) => {
        if (path.endsWith('/')) await mkdir(join(cluster, path), { recursive: true, mode: 0o700 });
        else
          await pipeline(
            content,
            createWriteStream(join(cluster, path), { mode: 0o600, flush: true, flags: 'wx' }),
          );
      },
    );
    const last = await unpackLog(
      dirname(folder),
      target === 'backup' ? null : firstLogFile,
      keyOfName,
      recoveryLogIn(cluster),
    );
    await prepareRecovery(cluster, target);
    for (const name of await readdir(cluster, { recursive: true, withFileTypes: true }))
      if (name.isDirectory()) await syncFolder(join(name.parentPath, name.name));
    await writeFile(join(cluster, unfinishedRestore), '', { mode: 0o600 });
    await rename(cluster, join(dataFolder, 'postgres'));
    await syncFolder(dataFolder);
    return target === 'latest' ? last : null;
  } finally {
    await rm(cluster, { recursive: true, force: true });
  }
}
