import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sweep } from '../embedded-postgres/data-folder.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { readBackupFiles } from './backup-files.ts';
import { type RestorePlan, syncFolder } from './backup-folder.ts';
import { unpackLog } from './log-archive.ts';
import { prepareRecovery, recoveryLogIn } from './recovery.ts';

/** A start of PostgreSQL removes folders with this name, too. */
const unfinished = 'postgres.new-';

/**
 * Writes the files of a backup, and of the log after it, into the data folder, which must have no database. The first
 * start of PostgreSQL recovers them to the target.
 */
export async function restoreFiles(
  { backup, target }: RestorePlan,
  dataFolder: string,
  keyRing: KeyRing,
): Promise<void> {
  const { folder, isEncrypted, firstLogFile } = backup;
  const keyOfSalt = (salt: Buffer) => keyRing.backupKeys(salt);
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  await sweep(dataFolder, unfinished);
  const cluster = await mkdtemp(join(dataFolder, unfinished));
  try {
    await readBackupFiles(folder, isEncrypted ? keyOfSalt : null, async (path, content) => {
      if (path.endsWith('/')) await mkdir(join(cluster, path), { recursive: true, mode: 0o700 });
      else
        await pipeline(
          content,
          createWriteStream(join(cluster, path), { mode: 0o600, flush: true, flags: 'wx' }),
        );
    });
    const log = recoveryLogIn(cluster);
    if (target === 'backup') await mkdir(log, { mode: 0o700 });
    else {
      const missing = await unpackLog(dirname(folder), firstLogFile, keyOfSalt, log);
      if (missing !== null && target === 'latest') throw gap(folder, missing);
    }
    await prepareRecovery(cluster, target);
    for (const name of await readdir(cluster, { recursive: true, withFileTypes: true }))
      if (name.isDirectory()) await syncFolder(join(name.parentPath, name.name));
    await rename(cluster, join(dataFolder, 'postgres'));
    await syncFolder(dataFolder);
  } finally {
    await rm(cluster, { recursive: true, force: true });
  }
}

function gap(folder: string, missing: string): OperatorError {
  return new OperatorError(`The archived log is incomplete: ${missing} is missing, and later files exist`, {
    code: 'backup_log_incomplete',
    advice: `restore the backup alone by naming ${folder}, or a time before the gap with --to-time.`,
  });
}
