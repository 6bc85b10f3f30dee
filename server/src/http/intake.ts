import type { Readable } from 'node:stream';
import { Refusal } from '../core/faults.ts';

/** How long a body that is refused is read on, only so that its sender gets to see the answer. */
const drainMs = 5000;

/** Counts the bytes of all bodies at work, so that many large calls at once cannot exhaust the memory. */
export class Intake {
  readonly #bytesTogether: number;
  #held = 0;

  constructor(bytesTogether: number) {
    this.#bytesTogether = bytesTogether;
  }

  hold(bytes: number): void {
    if (this.#held + bytes > this.#bytesTogether) {
      const seconds = 5;
      throw new Refusal('OVERLOADED', { figures: { seconds }, retryAfterSeconds: seconds });
    }
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}

/**
 * The whole body. `take` is called for every piece and throws to refuse the rest, which is then read and dropped:
 * a connection that is closed in the middle of a body shows its sender a network error instead of the answer.
 */
export function collect(payload: Readable, take: (piece: Buffer) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let refusal: { reason: unknown } | undefined;

    function settle(): void {
      if (refusal) reject(refusal.reason);
      else resolve(Buffer.concat(chunks));
    }
    payload.on('data', (chunk: Buffer) => {
      if (refusal) return;
      try {
        take(chunk);
        chunks.push(chunk);
      } catch (reason) {
        refusal = { reason };
        chunks.length = 0;
        setTimeout(settle, drainMs).unref();
      }
    });
    payload.once('end', settle);
    payload.once('error', () => reject(new Refusal('INVALID_REQUEST')));
    payload.once('close', () => reject(new Refusal('INVALID_REQUEST')));
  });
}
