import type { ImportRow } from '../file/rows.ts';
import type { PrincipalAliases } from '../import/principal-aliases.ts';
import { principalKeyOf } from '../import/records.ts';
import type { RowErrors } from '../import/row-errors.ts';
import type { Rounds } from '../import/send.ts';
import type { PreparedRows } from './prepare.ts';

/** A batch of rows whose jobs were submitted, or are being submitted. */
export interface SentBatch {
  readonly rounds: Rounds;
  /** Settles when the service has accepted the jobs of the first round. */
  readonly submission: Promise<void>;
  readonly prepared: PreparedRows;
  readonly aliases: PrincipalAliases;
  /** The errors of the rows that were not sent. */
  readonly unsent: RowErrors;
  /** All rows of the batch, including those not sent. */
  readonly rows: readonly ImportRow[];
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
  const changed = batches.map(changedPrincipals).filter(({ size }) => size > 0);
  if (changed.length === 0) return false;
  return rows.some((row) => {
    const key = row.kind === 'invalid' ? null : principalKeyOf(row);
    if (key === null) return false;
    const alias = aliases.get(key);
    return changed.some((keys) => keys.has(key) || (alias !== undefined && keys.has(alias)));
  });
}

/** Returns all keys of the principals that a batch may create or change. */
function changedPrincipals({ rounds: { principals }, aliases }: SentBatch): ReadonlySet<string> {
  if (aliases.size === 0 || principals.size === 0) return principals;
  const keys = new Set(principals);
  for (const [key, alias] of aliases) if (principals.has(key)) keys.add(alias);
  return keys;
}
