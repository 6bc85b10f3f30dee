import { Utf8Check } from './utf8.ts';

/** The characters of the bytes 0x80 to 0x9F; a space where there is none. */
const special = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';
/** TextDecoder cannot be trusted with them: several versions of Node take them for those of ISO 8859-1. */
const characters = new Uint16Array(256).map((_, byte) => {
  const inSpecial = byte >= 0x80 && byte <= 0x9f;
  if (!inSpecial) return byte;
  return special[byte - 0x80] === ' ' ? 0 : special.charCodeAt(byte - 0x80);
});

const units = new TextDecoder('utf-16le', { ignoreBOM: true });

export interface Decoded {
  readonly text: string;
  /** What ended the text early: a byte that stands for no character, or characters in UTF-8. */
  readonly stop: 'undefined' | 'utf-8' | null;
}

/**
 * Decodes Windows-1252. Unless told not to, it looks at every run of bytes beyond ASCII: one that is valid UTF-8 as a
 * whole stands in another encoding than the rest of the file.
 */
export class Windows1252Decoder {
  readonly #watchful: boolean;
  /** The run that is being read, which may go on in the next bytes; null where it cannot be UTF-8 any more. */
  #check: Utf8Check | null = null;
  #inRun = false;

  constructor(watchful: boolean) {
    this.#watchful = watchful;
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
        this.#check = this.#watchful ? new Utf8Check() : null;
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

  /** Whether the run that ends here was UTF-8. */
  #endOfRun(): boolean {
    this.#inRun = false;
    return this.#check?.whole === true;
  }
}

function stopped(out: Uint8Array, at: number, stop: Decoded['stop']): Decoded {
  return { text: units.decode(out.subarray(0, at * 2)), stop };
}
