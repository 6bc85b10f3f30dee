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

/** An end of the chain, as somebody noted it. */
export interface ChainEnd {
  readonly position: number;
  readonly seal: Buffer;
}

export type Seal = (before: Buffer, position: number, text: string) => Buffer;

/** `rows` is how many hold, from the beginning on. */
export type Verdict =
  | { readonly sound: true; readonly rows: number; readonly last: ChainEnd }
  | { readonly sound: false; readonly rows: number; readonly position: number; readonly fault: ChainFault };

/** What is wrong at the first place where the chain does not hold. */
export const chainFaults = ['changed', 'removed', 'inserted', 'cut off'] as const;
export type ChainFault = (typeof chainFaults)[number];

/**
 * Goes along the chain. `expected` is an end that was noted elsewhere, at some earlier time. The rows and the ends must
 * be of one moment, or what was sealed in between would look like an insertion.
 */
export async function verifyChain(
  rows: AsyncIterable<SealedRow>,
  chain: Chain,
  seal: Seal,
  expected: ChainEnd | null = null,
): Promise<Verdict> {
  let before = chain.firstSeal;
  let next = chain.firstPosition;
  let suspect: SealedRow | null = null;
  const broken = (position: number, fault: ChainFault): Verdict => {
    return { sound: false, rows: next - chain.firstPosition, position, fault };
  };
  const early = expected && faultBefore(chain, expected);
  if (early) return broken(expected.position, early);
  for await (const row of rows) {
    // What follows was sealed for the place where the suspect stands: the suspect was put before it.
    if (suspect) return broken(next, holds(row, next) ? 'inserted' : 'changed');
    if (row.position < next) return broken(row.position, 'inserted');
    if (row.position > chain.lastPosition && next > chain.lastPosition)
      return broken(row.position, 'inserted');
    if (row.position > next) return broken(next, 'removed');
    if (!holds(row, next)) {
      suspect = row;
      continue;
    }
    if (expected?.position === next && !expected.seal.equals(row.seal)) return broken(next, 'changed');
    before = row.seal;
    next++;
  }
  if (suspect) return broken(next, before.equals(chain.lastSeal) ? 'inserted' : 'changed');
  if (next <= chain.lastPosition) return broken(next, 'removed');
  if (!before.equals(chain.lastSeal)) return broken(chain.lastPosition, 'changed');
  if (expected && expected.position > chain.lastPosition) return broken(next, 'cut off');
  const last = { position: chain.lastPosition, seal: chain.lastSeal };
  return { sound: true, rows: next - chain.firstPosition, last };

  function holds({ text, seal: given }: SealedRow, position: number): boolean {
    return seal(before, position, text).equals(given);
  }
}

/** A noted end that lies before the first row cannot be met on the way. */
function faultBefore({ firstPosition, firstSeal }: Chain, expected: ChainEnd): ChainFault | null {
  if (expected.position >= firstPosition) return null;
  if (expected.position < firstPosition - 1) return 'removed';
  return expected.seal.equals(firstSeal) ? null : 'changed';
}
