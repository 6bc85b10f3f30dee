import { grouped, inUnits, paint } from './format.ts';

export interface Progress {
  /** One word, such as `running`. */
  readonly state: string;
  readonly done: number;
  readonly total: number | null;
  readonly guessed?: boolean;
  /** The unit of `done` and `total` in the plural, such as `users`. */
  readonly unit: string;
  readonly failed: number;
  /** The text after `failed`. Default: `failed`. */
  readonly failedText?: string;
}

const barWidth = 24;
const clearLine = '\r\u001b[K';

/** A progress line, rewritten in place on a terminal; elsewhere a new line every `plainMs` and at each new state. */
export class LiveLine {
  readonly #stream: NodeJS.WriteStream;
  readonly #plainMs: number;
  readonly #pace = new Pace();
  readonly #rewrites: boolean;
  #last: { readonly at: number; readonly state: string } | undefined;

  constructor(stream: NodeJS.WriteStream = process.stderr, { plainMs = 10_000 } = {}) {
    this.#stream = stream;
    this.#plainMs = plainMs;
    this.#rewrites = stream.isTTY === true && process.env.TERM !== 'dumb';
  }

  show(standing: Progress): void {
    const now = performance.now();
    this.#pace.note(standing.done, now);
    if (this.#rewrites) {
      this.#stream.write(clearLine + this.#fitted(standing));
    } else {
      // A line that says "0 rows" of an unknown total has no information.
      if (standing.done === 0 && standing.total === null) return;
      const due = !this.#last || this.#last.state !== standing.state || now - this.#last.at >= this.#plainMs;
      if (!due) return;
      this.#stream.write(`${parts(standing, this.#pace).join('  ')}\n`);
    }
    this.#last = { at: now, state: standing.state };
  }

  /** Clears the line, or with `keeping` leaves it, with the progress `last` if given, and moves to the next line. */
  end({ keeping = false, last }: { keeping?: boolean; last?: Progress } = {}): void {
    if (this.#rewrites && this.#last) {
      if (keeping && last) this.show(last);
      this.#stream.write(keeping ? '\n' : clearLine);
    }
    this.#last = undefined;
  }

  /** Adds a bar if there is room for one. The last column stays empty, because some terminals wrap after it. */
  #fitted(standing: Progress): string {
    const columns = this.#stream.columns || 80;
    const [state = '', ...rest] = parts(standing, this.#pace);
    const plain = [state, ...rest].join('  ');
    const room = Math.min(barWidth, columns - 3 - plain.length);
    if (standing.total === null || room < 8) return plain.slice(0, columns - 1);
    return [state, this.#bar(standing.done, standing.total, room), ...rest].join('  ');
  }

  #bar(done: number, total: number, width: number): string {
    const full = total === 0 ? width : Math.floor((Math.min(done, total) / total) * width);
    const left = paint(this.#stream, 'grey', '░'.repeat(width - full));
    return paint(this.#stream, 'green', '█'.repeat(full)) + left;
  }
}

/** Returns the parts of the line, the most important first: a narrow terminal cuts off the end. */
function parts(
  { state, done, total, guessed, unit, failed, failedText = 'failed' }: Progress,
  pace: Pace,
): string[] {
  const rate = pace.perSecond;
  const left = total === null ? null : pace.secondsFor(total - done);
  const units = (total ?? done) === 1 ? unit.replace(/s$/, '') : unit;
  return [
    state,
    total === null
      ? `${grouped(done)} ${units}`
      : `${grouped(done)} of ${guessed ? 'about ' : ''}${grouped(total)} ${units}`,
    ...(failed > 0 ? [`${grouped(failed)} ${failedText}`] : []),
    ...(rate === null ? [] : [`${rate >= 10 ? grouped(Math.round(rate)) : rate.toFixed(1)}/s`]),
    ...(left === null || left <= 0 ? [] : [`${inUnits(left)} left`]),
  ];
}

const windowMs = 10_000;

/** The rate over a sliding window: older samples say little about the remaining time. */
export class Pace {
  readonly #seen: { readonly at: number; readonly done: number }[] = [];

  note(done: number, at: number = performance.now()): void {
    this.#seen.push({ at, done });
    while ((this.#seen[1]?.at ?? at) < at - windowMs) this.#seen.shift();
  }

  /** Units per second; null if the window shows no progress. */
  get perSecond(): number | null {
    const [first, last] = [this.#seen[0], this.#seen.at(-1)];
    if (!first || !last || last.at === first.at || last.done <= first.done) return null;
    return ((last.done - first.done) * 1000) / (last.at - first.at);
  }

  secondsFor(rest: number): number | null {
    return this.perSecond === null ? null : rest / this.perSecond;
  }
}
