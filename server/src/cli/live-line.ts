import { paint } from './colours.ts';
import { inUnits } from './duration.ts';
import { Pace } from './pace.ts';

/** How far something has come. */
export interface Standing {
  /** In a word: `running`. */
  readonly state: string;
  readonly done: number;
  /** Null where it is not known. */
  readonly total: number | null;
  /** Whether the total is but a guess. */
  readonly guessed?: boolean;
  /** What is counted: `users`. */
  readonly unit: string;
  readonly failed: number;
}

const barWidth = 24;
const clearLine = '\r\u001b[K';

/** One line that is written over again and again on a terminal; elsewhere a plain line now and then. */
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

  show(standing: Standing): void {
    const now = performance.now();
    this.#pace.note(standing.done, now);
    if (this.#rewrites) {
      this.#stream.write(clearLine + this.#fitted(standing));
    } else {
      const due = !this.#last || this.#last.state !== standing.state || now - this.#last.at >= this.#plainMs;
      if (!due) return;
      this.#stream.write(`${parts(standing, this.#pace).join('  ')}\n`);
    }
    this.#last = { at: now, state: standing.state };
  }

  /** Leaves the line empty for what is said next, or leaves it as it is and goes on below. */
  end({ keeping = false } = {}): void {
    if (this.#rewrites && this.#last) this.#stream.write(keeping ? '\n' : clearLine);
    this.#last = undefined;
  }

  /** With a bar where there is room for one; the last column stays free, since some terminals would go to the next line. */
  #fitted(standing: Standing): string {
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

/** What there is to say, the most important first. */
function parts({ state, done, total, guessed, unit, failed }: Standing, pace: Pace): string[] {
  const rate = pace.perSecond;
  const left = total === null ? null : pace.secondsFor(total - done);
  return [
    state,
    total === null
      ? `${grouped(done)} ${unit}`
      : `${grouped(done)} of ${guessed ? 'about ' : ''}${grouped(total)} ${unit}`,
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
    ...(rate === null ? [] : [`${rate >= 10 ? grouped(Math.round(rate)) : rate.toFixed(1)}/s`]),
    ...(left === null || left <= 0 ? [] : [`${inUnits(left)} left`]),
  ];
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
