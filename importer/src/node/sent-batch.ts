import type { ImportRow } from '../file/rows.ts';
import type { PrincipalAliases } from '../import/principal-aliases.ts';
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
