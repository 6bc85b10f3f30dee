import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../db/database.ts';

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
    'recovery_target',
    'recovery_target_time',
  ])
    await database.query(`alter system reset ${name}`);
  await rm(recoveryLogIn(cluster), { recursive: true, force: true });
}
