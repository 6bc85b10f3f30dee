import type { FastifyBaseLogger } from 'fastify';

interface Counted {
  readonly kind: object;
  /** The number of events since the last line. */
  further: number;
  readonly timer: NodeJS.Timeout;
}

/** The level and the messages of the lines. */
interface Lines {
  readonly level: 'info' | 'warn';
  readonly first: string;
  readonly further: string;
}

const intervalMs = 1000;
/** The maximum number of kinds that are counted by their cause. Causes of further kinds are not distinguished. */
const maxKinds = 100;

/**
 * Logs events without a line for each, because an overloaded service would spend its time on the log. The first event of
 * a kind is logged at once, then the number of further ones every second, until a second without any. Kinds are counted
 * separately, so that a flood of one does not hide another.
 */
export class CountingLog<Kind extends object> {
  readonly #log: FastifyBaseLogger;
  readonly #lines: Lines;
  readonly #counted = new Map<string, Counted>();
  #closed = false;

  constructor(log: FastifyBaseLogger, lines: Lines) {
    this.#log = log;
    this.#lines = lines;
  }

  /** Logs or counts an event. `ownLog` adds what belongs to this event only to the line, such as the request ID. */
  note(event: Kind, ownLog: FastifyBaseLogger): void {
    const isCountable = this.#counted.size < maxKinds || this.#counted.has(JSON.stringify(event));
    const kind: object = isCountable ? event : { ...event, cause: undefined };
    const key = JSON.stringify(kind);
    const counted = this.#counted.get(key);
    if (counted) {
      counted.further++;
      return;
    }
    const fields: object = event;
    ownLog[this.#lines.level](fields, this.#lines.first);
    if (this.#closed) return;
    const timer = setInterval(() => this.#report(key), intervalMs).unref();
    this.#counted.set(key, { kind, further: 0, timer });
  }

  /** Logs all counts. An event after that is logged at once, because no later line would count it. */
  close(): void {
    this.#closed = true;
    for (const [key, { timer }] of this.#counted) {
      this.#report(key);
      clearInterval(timer);
    }
    this.#counted.clear();
  }

  #report(key: string): void {
    const counted = this.#counted.get(key);
    if (!counted) return;
    const { kind, further, timer } = counted;
    counted.further = 0;
    if (further > 0) this.#log[this.#lines.level]({ ...kind, further }, this.#lines.further);
    else {
      clearInterval(timer);
      this.#counted.delete(key);
    }
  }
}
