import type { Readable } from 'node:stream';
import { Refusal } from '../core/faults.ts';

/** How long a body that is refused is read on, only so that its sender gets to see the answer. */
const drainMs = 5000;
/** The most that is made room for ahead of what has come, where nothing was announced. */
const maxStep = 4 * 1024 * 1024;

/**
 * The whole body, of which `declared` bytes are expected. `take` is called for every piece and throws to refuse the
 * rest, which is then read and dropped: a connection that is closed in the middle of a body shows its sender a network
 * error instead of the answer. `signal` ends the wait for a body that does not come.
 */
export function collect(
  payload: Readable,
  declared: number,
  take: (piece: Buffer) => void,
  signal?: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer(declared);
    let refusal: { reason: unknown } | undefined;

    function settle(): void {
      if (refusal) reject(refusal.reason);
      else resolve(body.whole());
    }
    signal?.addEventListener('abort', () => {
      refusal = { reason: signal.reason };
      body.drop();
      reject(signal.reason);
    });
    payload.on('data', (piece: Buffer) => {
      if (refusal) return;
      try {
        take(piece);
        body.append(piece);
      } catch (reason) {
        refusal = { reason };
        body.drop();
        setTimeout(settle, drainMs).unref();
      }
    });
    payload.once('end', settle);
    payload.once('error', () => reject(new Refusal('INVALID_REQUEST')));
    payload.once('close', () => reject(new Refusal('INVALID_REQUEST')));
  });
}

/** Room is made as bytes come, not as they are announced: who announces much and sends little shall not fill the memory. */
class GrowingBuffer {
  readonly #declared: number;
  #bytes = Buffer.alloc(0);
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

  /** Once a part of the body is there, the rest of what was announced is believed. */
  #grow(needed: number): void {
    const believed = needed * 16 >= this.#declared ? this.#declared : needed * 4;
    const larger = Buffer.allocUnsafe(Math.max(believed, needed, Math.min(needed * 2, needed + maxStep)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  /** The bytes; what listens to the payload lives as long as the call, and must not keep them. */
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
