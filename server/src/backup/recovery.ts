import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../db/database.ts';
import { logFileBytes } from './backup-files.ts';

/** How far a restore goes: to the end of the backup, to the end of the archived log, or to a time. */
export type RecoveryTarget = 'backup' | 'latest' | Date;

/** The folder in the cluster from which PostgreSQL reads the archived log. Its commands run in the cluster. */
const logFolder = 'anagrafe_log';

export function recoveryLogIn(cluster: string): string {
  return join(cluster, logFolder);
}

/**
 * Tells PostgreSQL to recover to the target at its first start. It then begins a new timeline, so that its log has other
 * names than the log after the backup, which stays as it is.
 */
export async function prepareRecovery(cluster: string, target: RecoveryTarget): Promise<void> {
  const settings = [
    `restore_command = 'cp ${logFolder}/%f "%p"'`,
    // No connection is accepted before the end of the recovery.
    'hot_standby = off',
    `recovery_target_action = 'promote'`,
    // The log of a database that was restored later continues another past.
    `recovery_target_timeline = '${target === 'latest' ? 'latest' : 'current'}'`,
    ...(target === 'backup' ? [`recovery_target = 'immediate'`] : []),
    ...(target instanceof Date
      ? [`recovery_target_time = '${target.toISOString().replace('Z', '+00')}'`]
      : []),
  ];
  await appendFile(join(cluster, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  await writeFile(join(cluster, 'recovery.signal'), '', { mode: 0o600 });
}

/** Removes what `prepareRecovery` has left, once the database accepts writes. */
export async function finishRecovery(cluster: string, database: Database): Promise<void> {
  for (const name of [
    'restore_command',
    'hot_standby',
    'recovery_target_action',
    'recovery_target_timeline',
    'recovery_target',
    'recovery_target_time',
  ])
    await database.query(`alter system reset ${name}`);
  await rm(recoveryLogIn(cluster), { recursive: true, force: true });
}

/**
 * Returns the file of the log in which the recovery ended, as the history of the new timeline names it: 16 digits, which do
 * not contain the timeline. A recovery that ends between two files ended in the first one.
 */
export async function endOfRecovery(cluster: string, timeline: string): Promise<string> {
  const history = await readFile(join(cluster, 'pg_wal', `${timeline}.history`), 'utf8');
  const [, end = '0/0'] = history.trim().split('\n').at(-1)?.split('\t') ?? [];
  const [high = 0n, low = 0n] = end.split('/').map((part) => BigInt(`0x${part}`));
  const file = ((high << 32n) + low - 1n) / BigInt(logFileBytes);
  const files = 0x1_0000_0000n / BigInt(logFileBytes);
  return [file / files, file % files]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('');
}
