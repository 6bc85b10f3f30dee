/** A property of every code point, kept as runs (see tables.gen.ts) and unpacked when it is first asked for. */
export class RunTable<Letter extends string> {
  readonly #encoded: string;
  #runs: { starts: Uint32Array; letters: Letter[] } | undefined;

  constructor(encoded: string) {
    this.#encoded = encoded;
  }

  /** The letter of a code point; none for the place before the first or after the last one of a text. */
  at(codePoint: number | undefined): Letter | undefined {
    if (codePoint === undefined) return undefined;
    this.#runs ??= unpack<Letter>(this.#encoded);
    const { starts, letters } = this.#runs;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((starts[middle] ?? 0) <= codePoint) low = middle;
      else high = middle - 1;
    }
    return letters[low];
  }
}

function unpack<Letter extends string>(encoded: string): { starts: Uint32Array; letters: Letter[] } {
  const runs = encoded.match(/[A-Z][0-9a-z]+/g) ?? [];
  const starts = new Uint32Array(runs.length);
  let start = 0;
  for (const [index, run] of runs.entries()) {
    starts[index] = start;
    start += Number.parseInt(run.slice(1), 36);
  }
  return { starts, letters: runs.map((run) => run.charAt(0) as Letter) };
}
