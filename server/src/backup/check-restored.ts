import { openAuditStore } from '../audit/audit.store.ts';
import { verifyAuditLog } from '../audit/audit-log.ts';
import type { Verdict } from '../audit/hash-chain.ts';
import type { Database } from '../db/database.ts';
import { migrate } from '../db/migrations.ts';
import { raiseIds } from '../db/sequences.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { countStored } from './backup.store.ts';

export interface RestoredStore {
  readonly principals: number;
  readonly users: number;
  readonly audit: Verdict;
}

/** A restored database gives no ID again that was given after the backup, unless there were more of them than this. */
export const skippedIds = 1_000_000;

/** Brings the schema of a restored or loaded database up to date, and skips IDs. */
export async function prepareRestored(database: Database): Promise<void> {
  await migrate(database);
  await raiseIds(database, skippedIds);
}

/**
 * Counts what a restored or loaded database contains, and verifies its audit log.
 *
 * @throws {OperatorError} if the numbers of users contradict each other: the files do not belong together.
 */
export async function checkRestored(database: Database, keyRing: KeyRing): Promise<RestoredStore> {
  const { wrong, ...counts } = await countStored(database);
  if (wrong > 0)
    throw new OperatorError('The restored database has other numbers of users than it says', {
      code: 'backup_damaged',
      advice: 'use another backup.',
    });
  return { ...counts, audit: await verifyAuditLog(openAuditStore(database), keyRing) };
}
