import type { ImportFigures } from '../import/task.ts';
import { paint } from './colours.ts';

const barWidth = 24;
/** The speed is that of the last while. */
const windowMs = 15_000;
/** How often someone who reads a log is told. */
const lineMs = 10_000;

interface Sample extends ImportFigures {
  readonly at: number;
}

/** Shows how an import goes: on a terminal in one line that changes, elsewhere in a line now and then. */
export class ProgressBar {
  readonly #stream: NodeJS.WriteStream;
  readonly #samples: Sample[] = [];
  #shown = false;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(figures: ImportFigures, at = performance.now()): void {
    this.#samples.push({ ...figures, at });
    while ((this.#samples[1]?.at ?? at) < at - windowMs) this.#samples.shift();
    if (this.#stream.isTTY) {
      this.#stream.write(`\r${this.#line(figures)}\u001b[K`);
      this.#shown = true;
    } else if (at - this.#toldAt >= lineMs) {
      this.#stream.write(`${this.#text(figures)}\n`);
      this.#toldAt = at;
    }
  }

  /** Leaves the line as it is, for what comes after it. */
  end(): void {
    if (this.#shown) this.#stream.write('\n');
    this.#shown = false;
  }

  #line(figures: ImportFigures): string {
    // A line that is broken up by a narrow terminal could not be written anew.
    if ((this.#stream.columns || 80) < barWidth + 56) return this.#text(figures);
    const share = shareOf(figures);
    const full = Math.round(share * barWidth);
    const bar =
      paint(this.#stream, 'green', '█'.repeat(full)) +
      paint(this.#stream, 'grey', '░'.repeat(barWidth - full));
    return `${bar} ${this.#text(figures)}`;
  }

  #text(figures: ImportFigures): string {
    const { rowsDone, rowsFailed } = figures;
    const { rowsPerSecond, secondsLeft } = this.#speed(figures);
    const parts = [
      `${Math.floor(shareOf(figures) * 100)}%`.padStart(4),
      `${rowsDone.toLocaleString('en')} rows`,
      ...(rowsPerSecond === null ? [] : [`${Math.round(rowsPerSecond)}/s`]),
      ...(secondsLeft === null ? [] : [`${clock(secondsLeft)} left`]),
    ];
    const failed = `${rowsFailed.toLocaleString('en')} failed`;
    return `${parts.join('  ')}  ${rowsFailed > 0 ? paint(this.#stream, 'red', failed) : failed}`;
  }

  #speed(now: ImportFigures): { rowsPerSecond: number | null; secondsLeft: number | null } {
    const [first] = this.#samples;
    const seconds = ((this.#samples.at(-1)?.at ?? 0) - (first?.at ?? 0)) / 1000;
    const rows = now.rowsDone - (first?.rowsDone ?? 0);
    const bytes = now.bytesDone - (first?.bytesDone ?? 0);
    if (seconds < 1 || rows <= 0 || bytes <= 0) return { rowsPerSecond: null, secondsLeft: null };
    return { rowsPerSecond: rows / seconds, secondsLeft: ((now.bytes - now.bytesDone) / bytes) * seconds };
  }
}

function shareOf({ bytesDone, bytes }: ImportFigures): number {
  return bytes === 0 ? 1 : Math.min(bytesDone / bytes, 1);
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return `${hours > 0 ? `${hours}:` : ''}${two(minutes)}:${two(whole % 60)}`;
}
