import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Of a file from its beginning on, so that it can be told whether what was read of it is still the same. */
export class Prefix {
  readonly #path: string;
  readonly #hash: Hash = createHash('sha256');
  #byte = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The digest of everything before the byte, which may only move on. */
  async digestTo(byte: number): Promise<string> {
    if (byte > this.#byte) {
      for await (const chunk of createReadStream(this.#path, { start: this.#byte, end: byte - 1 }))
        this.#hash.update(chunk);
      this.#byte = byte;
    }
    return this.#hash.copy().digest('hex');
  }
}
