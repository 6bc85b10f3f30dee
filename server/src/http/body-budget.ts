import { Refusal } from '../core/faults.ts';

const retrySeconds = 5;

interface BudgetLimits {
  /** Bytes that all requests together may hold. */
  readonly total: number;
  /** Bytes that the requests of one caller may hold. */
  readonly perCaller: number;
  /** Ends the oldest body that is still incomplete, instead of refusing a new one, when the total is reached. */
  readonly evicts: boolean;
}

/** The memory that one request holds. */
export interface Hold {
  /** Throws an OVERLOADED refusal where there is no room. */
  add(bytes: number): void;
  /** Adds an estimate, of which at most half of what the caller may hold counts: a larger one would always be refused. */
  addEstimate(bytes: number): void;
  /** The body has come in whole: it is not ended any more to make room for others. */
  complete(): void;
  /** May be called more than once. */
  release(): void;
}

/** Bounds the memory that request bodies take: in total, so that they fit, and by caller, so that none takes it all. */
export class BodyBudget {
  readonly #limits: BudgetLimits;
  #total = 0;
  readonly #byCaller = new Map<string, number>();
  /** Incomplete bodies, the oldest first. */
  readonly #incomplete = new Map<Hold, () => void>();

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  /** Begins a request of a caller; `end` ends it when its body has to make room. */
  open(caller: string, end: () => void): Hold {
    let held = 0;
    const hold: Hold = {
      add: (bytes) => {
        const ofCaller = this.#byCaller.get(caller) ?? 0;
        if (ofCaller + bytes > this.#limits.perCaller) throw overloaded();
        this.#makeRoom(bytes, hold);
        held += bytes;
        this.#total += bytes;
        // Read again: making room may have released an earlier body of the same caller.
        this.#byCaller.set(caller, (this.#byCaller.get(caller) ?? 0) + bytes);
      },
      addEstimate: (bytes) => hold.add(Math.min(bytes, Math.floor(this.#limits.perCaller / 2))),
      complete: () => {
        this.#incomplete.delete(hold);
      },
      release: () => {
        this.#incomplete.delete(hold);
        this.#total -= held;
        const left = (this.#byCaller.get(caller) ?? 0) - held;
        if (left > 0) this.#byCaller.set(caller, left);
        else this.#byCaller.delete(caller);
        held = 0;
      },
    };
    this.#incomplete.set(hold, end);
    return hold;
  }

  #makeRoom(bytes: number, asking: Hold): void {
    for (const [hold, end] of this.#limits.evicts ? this.#incomplete : []) {
      if (this.#total + bytes <= this.#limits.total) return;
      if (hold === asking) continue;
      hold.release();
      end();
    }
    if (this.#total + bytes > this.#limits.total) throw overloaded();
  }
}

function overloaded(): Refusal {
  return new Refusal('OVERLOADED', { figures: { seconds: retrySeconds }, retryAfterSeconds: retrySeconds });
}
