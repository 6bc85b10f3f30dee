/** A row of the journal, as far as its seal is concerned. */
export interface SealedRow {
  readonly position: number;
  /** Everything that stands in it, in one text. */
  readonly text: string;
  readonly seal: Buffer;
}

/** Where the chain begins and ends, by what stands beside it. */
export interface Chain {
  readonly firstPosition: number;
  /** The seal of the row before the first one. */
  readonly firstSeal: Buffer;
  readonly lastPosition: number;
  readonly lastSeal: Buffer;
}

export type Seal = (before: Buffer, position: number, text: string) => Buffer;

export type Verdict =
  | { readonly sound: true; readonly rows: number; readonly last: { position: number; seal: Buffer } }
  | { readonly sound: false; readonly position: number; readonly fault: ChainFault };

/** What is wrong at the first place where the chain does not hold. */
export type ChainFault = 'changed' | 'removed' | 'inserted' | 'cut off';

/** Goes along the chain. `expected` is an end that was noted elsewhere, at some earlier time. */
export async function verifyChain(
  rows: AsyncIterable<SealedRow>,
  chain: Chain,
  seal: Seal,
  expected: { position: number; seal: Buffer } | null = null,
): Promise<Verdict> {
  let before = chain.firstSeal;
  let next = chain.firstPosition;
  let count = 0;
  const broken = (position: number, fault: ChainFault): Verdict => ({ sound: false, position, fault });
  for await (const row of rows) {
    if (row.position < next) return broken(row.position, 'inserted');
    if (row.position > next) return broken(next, 'removed');
    if (row.position > chain.lastPosition) return broken(row.position, 'inserted');
    if (!seal(before, row.position, row.text).equals(row.seal)) return broken(row.position, 'changed');
    if (expected?.position === row.position && !expected.seal.equals(row.seal))
      return broken(row.position, 'changed');
    before = row.seal;
    next++;
    count++;
  }
  if (next <= chain.lastPosition) return broken(next, 'removed');
  if (!before.equals(chain.lastSeal)) return broken(chain.lastPosition, 'changed');
  if (expected && expected.position > chain.lastPosition) return broken(next, 'cut off');
  return { sound: true, rows: count, last: { position: chain.lastPosition, seal: chain.lastSeal } };
}
