import type { Connection } from '../db/database.ts';

export interface HashedRow {
  readonly position: number;
  /** All columns except `position` and the hash, serialised as one text. */
  readonly text: string;
  readonly hash: Buffer;
  /** False if a stored value that the row changed does not have its digest. Deleted values have none to compare. */
  readonly valuesMatch: boolean;
}

/** The two ends of the hash chain, which the database stores apart from the rows. */
export interface Chain {
  readonly firstPosition: number;
  /** The hash of the row before the first one; empty if retention has not removed any row. */
  readonly firstHash: Buffer;
  readonly lastPosition: number;
  readonly lastHash: Buffer;
}

/** The last row of the chain at some moment. An operator stores it elsewhere to detect a truncated chain later. */
export interface ChainEnd {
  readonly position: number;
  readonly hash: Buffer;
}

export type HashRow = (before: Buffer, position: number, text: string) => Buffer;

/** The keys of the hash chain. A rotation of the master key adds one for the rows that follow. */
export interface ChainKeys {
  hashRow(...row: Parameters<HashRow>): Buffer;
  /** Reads the keys again, in the transaction of the connection if one is given. */
  refresh(connection?: Connection): Promise<void>;
}

/** The result of a verification. `rows` is the number of valid rows from the start of the chain. */
export type Verdict =
  | { readonly sound: true; readonly rows: number; readonly last: ChainEnd }
  | { readonly sound: false; readonly rows: number; readonly position: number; readonly error: ChainError };

export const chainErrors = ['changed', 'removed', 'inserted', 'cut off', 'values changed'] as const;
export type ChainError = (typeof chainErrors)[number];

/**
 * Verifies the hash chain row by row. `expected` is an earlier end of the chain that was stored elsewhere. The caller
 * reads `rows` and `chain` in one snapshot: a row appended between two reads would be reported as inserted.
 */
export async function verifyChain(
  rows: AsyncIterable<HashedRow>,
  chain: Chain,
  hashRow: HashRow,
  expected: ChainEnd | null = null,
): Promise<Verdict> {
  let before = chain.firstHash;
  let next = chain.firstPosition;
  let suspect: HashedRow | null = null;
  const broken = (position: number, error: ChainError): Verdict => {
    return { sound: false, rows: next - chain.firstPosition, position, error };
  };
  const early = expected && errorBefore(chain, expected);
  if (early) return broken(expected.position, early);
  for await (const row of rows) {
    // If this row is valid at the position of the suspect, the suspect was inserted before it.
    if (suspect) return broken(next, isValid(row, next) ? 'inserted' : 'changed');
    if (row.position < next) return broken(row.position, 'inserted');
    if (row.position > chain.lastPosition && next > chain.lastPosition)
      return broken(row.position, 'inserted');
    if (row.position > next) return broken(next, 'removed');
    if (!isValid(row, next)) {
      suspect = row;
      continue;
    }
    if (!row.valuesMatch) return broken(next, 'values changed');
    if (expected?.position === next && !expected.hash.equals(row.hash)) return broken(next, 'changed');
    before = row.hash;
    next++;
  }
  if (suspect) return broken(next, before.equals(chain.lastHash) ? 'inserted' : 'changed');
  if (next <= chain.lastPosition) return broken(next, 'removed');
  if (!before.equals(chain.lastHash)) return broken(chain.lastPosition, 'changed');
  if (expected && expected.position > chain.lastPosition) return broken(next, 'cut off');
  const last = { position: chain.lastPosition, hash: chain.lastHash };
  return { sound: true, rows: next - chain.firstPosition, last };

  function isValid({ text, hash }: HashedRow, position: number): boolean {
    return hashRow(before, position, text).equals(hash);
  }
}

/** Checks an expected end before the first row, which the loop over the rows does not reach. Null means no error. */
function errorBefore({ firstPosition, firstHash }: Chain, expected: ChainEnd): ChainError | null {
  if (expected.position >= firstPosition) return null;
  if (expected.position < firstPosition - 1) return 'removed';
  return expected.hash.equals(firstHash) ? null : 'changed';
}
