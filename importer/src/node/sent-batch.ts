import type { ImportRow } from '../file/rows.ts';
import type { JobSender } from '../import/job-sender.ts';
import { keysOf, type PrincipalAliases } from '../import/principal-aliases.ts';
import { principalKeyOf, principalOf, statesValues } from '../import/records.ts';
import type { RowErrors } from '../import/row-errors.ts';
import type { PreparedRows } from './prepare.ts';
import type { ImportTask } from './task.ts';

/** A batch of rows whose jobs are being submitted, run or have ended. */
export interface SentBatch {
  /** All rows of the batch, including those not sent. */
  readonly rows: readonly ImportRow[];
  readonly prepared: PreparedRows;
  readonly sender: JobSender;
  /** The errors of the rows that the service has refused. */
  readonly refused: Promise<RowErrors>;
  /** All keys of the principals that the rows may create or change. */
  readonly principals: ReadonlySet<string>;
  readonly aliases: PrincipalAliases;
  /** The errors of the rows that are not sent, and the rows that are left out as copies. */
  readonly unsent: RowErrors;
  readonly copies: ReadonlySet<number>;
}

/** Returns all keys of the principals that rows may create or change. */
export function changedPrincipals(
  rows: readonly ImportRow[],
  aliases: PrincipalAliases,
  { existing, purpose }: ImportTask,
): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const row of rows) {
    const principal = row.kind === 'invalid' || purpose === 'reset' ? null : principalOf(row);
    if (principal && (existing === 'update' || principal.hasState || statesValues(principal)))
      for (const key of keysOf(principal.key, aliases)) keys.add(key);
  }
  return keys;
}

/**
 * Returns true if one of the batches may create or change a principal of these rows: its rows are then applied first, as
 * in the file.
 *
 * @param aliases The aliases of the rows. They are needed for an update only: without one, a stored principal does not
 *   change, and a new one has no `ID` yet that a row could have.
 */
export function mustWait(
  rows: readonly ImportRow[],
  aliases: PrincipalAliases,
  batches: readonly SentBatch[],
): boolean {
  return rows.some((row) => {
    const key = row.kind === 'invalid' ? null : principalKeyOf(row);
    if (key === null) return false;
    return keysOf(key, aliases).some((known) => batches.some(({ principals }) => principals.has(known)));
  });
}
