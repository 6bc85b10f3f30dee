import type { Readable } from 'node:stream';
import { ApiError } from '../lib/field-errors.ts';
import { overloaded } from '../lib/overloaded.ts';
import { Sums } from '../lib/sums.ts';

const retrySeconds = 5;
const tooMuchMemory = new Error('the request bodies take too much memory');

interface BudgetLimits {
  readonly total: number;
  readonly perCaller: number;
  /** Bytes that each caller may use even if others use the total. */
  readonly guaranteed: number;
  /** Aborts the oldest incomplete bodies, instead of rejecting a new one, when the total is reached. */
  readonly evicts: boolean;
}

export interface MemoryReservation {
  /** Throws an `ApiError` OVERLOADED if the reservation would exceed a limit. */
  add(bytes: number): void;
  /** Marks the body as complete, which excludes it from eviction. */
  complete(): void;
  /** Releases the whole reservation. Idempotent. */
  release(): void;
}

/**
 * Bounds the memory of request bodies: in total, and per caller, so that no caller can use all of it. Several callers
 * together can, so each has a guaranteed part, which may exceed the total.
 */
export class BodyBudget {
  readonly #limits: BudgetLimits;
  #total = 0;
  readonly #byCaller = new Sums();
  /** Incomplete bodies with the function that aborts the request, oldest first. */
  readonly #incomplete = new Map<MemoryReservation, () => void>();

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  open(caller: string, abort: () => void): MemoryReservation {
    let held = 0;
    const hold: MemoryReservation = {
      add: (bytes) => {
        const heldByCaller = this.#byCaller.of(caller);
        if (heldByCaller + bytes > this.#limits.perCaller) throw overloaded(retrySeconds, tooMuchMemory);
        if (heldByCaller + bytes > this.#limits.guaranteed) this.#makeRoom(bytes, hold);
        held += bytes;
        this.#total += bytes;
        this.#byCaller.add(caller, bytes);
      },
      complete: () => {
        this.#incomplete.delete(hold);
      },
      release: () => {
        this.#incomplete.delete(hold);
        this.#total -= held;
        this.#byCaller.add(caller, -held);
        held = 0;
      },
    };
    this.#incomplete.set(hold, abort);
    return hold;
  }

  #makeRoom(bytes: number, requester: MemoryReservation): void {
    for (const [hold, abort] of this.#limits.evicts ? this.#incomplete : []) {
      if (this.#total + bytes <= this.#limits.total) return;
      if (hold === requester) continue;
      hold.release();
      abort();
    }
    if (this.#total + bytes > this.#limits.total) throw overloaded(retrySeconds, tooMuchMemory);
  }
}

/** Maximum time in milliseconds to drain a rejected body, so that its sender can read the answer. */
const drainMs = 5000;
/** Maximum bytes allocated beyond the received bytes when the request declares no length. */
const maxStep = 4 * 1024 * 1024;

/**
 * Collects the whole body, of which `declared` bytes are expected. `onPiece` is called for every piece and throws to
 * reject the rest, which is then drained: closing the connection in the middle of a body would show its sender a
 * network error instead of the answer. Aborting `signal` rejects at once.
 */
export function collect(
  payload: Readable,
  declared: number,
  onPiece: (piece: Buffer) => void,
  signal?: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer(declared);
    let rejection: { reason: unknown } | undefined;

    function settle(): void {
      if (rejection) reject(rejection.reason);
      else resolve(body.whole());
    }
    signal?.addEventListener('abort', () => {
      rejection = { reason: signal.reason };
      body.drop();
      reject(signal.reason);
    });
    payload.on('data', (piece: Buffer) => {
      if (rejection) return;
      try {
        onPiece(piece);
        body.append(piece);
      } catch (reason) {
        rejection = { reason };
        body.drop();
        setTimeout(settle, drainMs).unref();
      }
    });
    payload.once('end', settle);
    payload.once('error', () => reject(new ApiError('INVALID_REQUEST')));
    payload.once('close', () => reject(new ApiError('INVALID_REQUEST')));
  });
}

/** Allocates memory as bytes arrive, because a client can declare a large body and send little of it. */
class GrowingBuffer {
  readonly #declared: number;
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(declared: number) {
    this.#declared = declared;
  }

  append(piece: Buffer): void {
    const needed = this.#length + piece.length;
    if (needed > this.#bytes.length) this.#grow(needed);
    piece.copy(this.#bytes, this.#length);
    this.#length = needed;
  }

  /** Allocates the declared length once a sixteenth of it has arrived. */
  #grow(needed: number): void {
    const expected = needed * 16 >= this.#declared ? this.#declared : needed * 4;
    const larger = Buffer.allocUnsafe(Math.max(expected, needed, Math.min(needed * 2, needed + maxStep)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  /** Returns the bytes and drops the reference to them: the listeners of the payload live as long as the request. */
  whole(): Buffer {
    const whole = this.#bytes.subarray(0, this.#length);
    this.drop();
    return whole;
  }

  drop(): void {
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
  }
}
