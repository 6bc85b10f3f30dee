import { Utf8Check } from './utf8.ts';

/** The characters of the bytes 0x80 to 0x9F. A space marks a byte without a character. */
const special = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';
/**
 * The UTF-16 code unit of each byte; 0 for a byte without a character. `TextDecoder` is not used, because several
 * versions of Node.js decode the bytes 0x80 to 0x9F as ISO 8859-1.
 */
const characters = new Uint16Array(256).map((_, byte) => {
  const inSpecial = byte >= 0x80 && byte <= 0x9f;
  if (!inSpecial) return byte;
  return special[byte - 0x80] === ' ' ? 0 : special.charCodeAt(byte - 0x80);
});

const units = new TextDecoder('utf-16le', { ignoreBOM: true });

export interface Decoded {
  readonly text: string;
  /** The reason why the text ends early: a byte without a character, or a run of UTF-8. Null if it does not. */
  readonly stop: 'undefined' | 'utf-8' | null;
}

/** Decodes Windows-1252. */
export class Windows1252Decoder {
  readonly #detectsUtf8: boolean;
  /** Validates the current run of non-ASCII bytes, which may continue in the next chunk; null if it is not UTF-8. */
  #check: Utf8Check | null = null;
  #inRun = false;

  /** @param detectsUtf8 True to stop at a run of non-ASCII bytes that is valid UTF-8: the encoding changes there. */
  constructor(detectsUtf8: boolean) {
    this.#detectsUtf8 = detectsUtf8;
  }

  decode(bytes: Uint8Array, last: boolean): Decoded {
    const out = new Uint8Array(bytes.length * 2);
    let runStart = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte < 0x80) {
        if (this.#inRun && this.#endOfRun()) return stopped(out, runStart, 'utf-8');
        out[at * 2] = byte;
        continue;
      }
      if (!this.#inRun) {
        runStart = at;
        this.#inRun = true;
        this.#check = this.#detectsUtf8 ? new Utf8Check() : null;
      }
      if (this.#check?.take(byte) === false) this.#check = null;
      const character = characters[byte] as number;
      if (character === 0) return stopped(out, at, 'undefined');
      out[at * 2] = character & 0xff;
      out[at * 2 + 1] = character >> 8;
    }
    if (last && this.#inRun && this.#endOfRun()) return stopped(out, runStart, 'utf-8');
    return { text: units.decode(out), stop: null };
  }

  /** Ends the current run. Returns true if it was valid UTF-8. */
  #endOfRun(): boolean {
    this.#inRun = false;
    return this.#check?.whole === true;
  }
}

function stopped(out: Uint8Array, at: number, stop: Decoded['stop']): Decoded {
  return { text: units.decode(out.subarray(0, at * 2)), stop };
}
