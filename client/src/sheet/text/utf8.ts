/** Validates UTF-8 byte by byte, by table 3-7 of the Unicode Standard (well-formed byte sequences). */
export class Utf8Check {
  #missing = 0;
  #low = 0x80;
  #high = 0xbf;

  /** Returns false if the byte is invalid after the previous ones. The instance must not be used after that. */
  take(byte: number): boolean {
    if (this.#missing > 0) {
      if (byte < this.#low || byte > this.#high) return false;
      this.#missing--;
      this.#expect(0x80, 0xbf);
      return true;
    }
    if (byte < 0x80) return true;
    if (byte < 0xc2 || byte > 0xf4) return false;
    this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    if (byte === 0xe0) this.#expect(0xa0, 0xbf);
    else if (byte === 0xed) this.#expect(0x80, 0x9f);
    else if (byte === 0xf0) this.#expect(0x90, 0xbf);
    else if (byte === 0xf4) this.#expect(0x80, 0x8f);
    return true;
  }

  /** True if the last character is complete. */
  get whole(): boolean {
    return this.#missing === 0;
  }

  #expect(low: number, high: number): void {
    this.#low = low;
    this.#high = high;
  }
}

/** Returns the number of bytes at the beginning that are complete, valid characters. */
export function validLength(bytes: Uint8Array): number {
  const check = new Utf8Check();
  let valid = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (!check.take(bytes[at] as number)) return valid;
    if (check.whole) valid = at + 1;
  }
  return valid;
}

/** Returns the number of bytes at the end that may belong to an incomplete character. */
export function openLength(bytes: Uint8Array): number {
  for (let length = 1; length <= 3 && length <= bytes.length; length++) {
    const byte = bytes[bytes.length - length] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return length < (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4) ? length : 0;
  }
  return 0;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes complete characters. Returns null if the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
