const listBits = 14;
const listMask = 2 ** listBits - 1;

/** A list of integers of 32 bits without a sign, in segments, so that the memory grows in small steps without copies. */
export class IntegerList {
  readonly #segments: Uint32Array[] = [];
  length = 0;

  get(index: number): number {
    return this.#segmentOf(index)[index & listMask] as number;
  }

  set(index: number, value: number): void {
    this.#segmentOf(index)[index & listMask] = value;
  }

  push(value: number): void {
    const index = this.length++;
    if ((index & listMask) === 0) this.#segments.push(new Uint32Array(2 ** listBits));
    this.set(index, value);
  }

  #segmentOf(index: number): Uint32Array {
    return this.#segments[index >>> listBits] as Uint32Array;
  }
}

/** Texts are written one after the other into segments, so that the memory grows in small steps without copies. */
const segmentBits = 18;
const segmentSize = 2 ** segmentBits;
const offsetMask = segmentSize - 1;
/** More segments would need addresses of more than 32 bits. */
const segmentsMax = 2 ** (32 - segmentBits);
/** The byte after each text. No byte of a text has this value. */
const textEnd = 0xff;

/**
 * Stores texts as bytes outside the JavaScript heap: a short text takes half of the memory of a string, and the garbage
 * collector has nothing to do for it. An address is an integer of 32 bits.
 *
 * The UTF-16 code units are encoded one by one, in one to three bytes each (CESU-8). Unlike UTF-8 this keeps unpaired
 * surrogates apart, which JSON may contain.
 */
export class TextStore {
  readonly #segments: Uint8Array[] = [];
  /** The last segment, and the number of bytes used in it. */
  #segment = new Uint8Array(0);
  #used = segmentSize;
  /** The text that was encoded last, with its end. */
  #encoded = new Uint8Array(1024);
  #length = 0;
  #bytes = 0;

  /** Size of the memory in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Encodes a text for `isEncodedAt` and `hashOfEncoded`. */
  encode(text: string): void {
    if (this.#encoded.length <= 3 * text.length) this.#encoded = new Uint8Array(4 * text.length);
    const bytes = this.#encoded;
    let at = 0;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit < 0x80) {
        bytes[at++] = unit;
        continue;
      }
      if (unit < 0x800) bytes[at++] = 0xc0 | (unit >> 6);
      else {
        bytes[at++] = 0xe0 | (unit >> 12);
        bytes[at++] = 0x80 | ((unit >> 6) & 0x3f);
      }
      bytes[at++] = 0x80 | (unit & 0x3f);
    }
    bytes[at++] = textEnd;
    this.#length = at;
  }

  /** Appends a text and returns its address. */
  add(text: string): number {
    this.encode(text);
    if (this.#used + this.#length > segmentSize) {
      if (this.#segments.length === segmentsMax)
        throw new RangeError('The file has more than 4 GB of keys and values.');
      // A text above the size of a segment has a segment of its own.
      this.#segment = new Uint8Array(Math.max(segmentSize, this.#length));
      this.#segments.push(this.#segment);
      this.#bytes += this.#segment.length;
      this.#used = 0;
    }
    const start = this.#used;
    for (let at = 0; at < this.#length; at++) this.#segment[start + at] = byteAt(this.#encoded, at);
    this.#used += this.#length;
    return (this.#segments.length - 1) * segmentSize + start;
  }

  isEncodedAt(address: number): boolean {
    const bytes = this.#segmentOf(address);
    const start = address & offsetMask;
    let at = 0;
    while (at < this.#length && bytes[start + at] === this.#encoded[at]) at++;
    return at === this.#length;
  }

  hashOfEncoded(key: HashKey): number {
    return halfSipHash(this.#encoded, 0, this.#length - 1, key);
  }

  hashAt(address: number, key: HashKey): number {
    const bytes = this.#segmentOf(address);
    const start = address & offsetMask;
    let end = start;
    while (bytes[end] !== textEnd) end++;
    return halfSipHash(bytes, start, end, key);
  }

  textAt(address: number): string {
    const bytes = this.#segmentOf(address);
    let text = '';
    for (let at = address & offsetMask; bytes[at] !== textEnd; at++) {
      const byte = byteAt(bytes, at);
      let unit = byte;
      if (byte >= 0xe0) unit = ((byte & 0x0f) << 6) | (byteAt(bytes, ++at) & 0x3f);
      else if (byte >= 0xc0) unit = byte & 0x1f;
      if (byte >= 0xc0) unit = (unit << 6) | (byteAt(bytes, ++at) & 0x3f);
      text += String.fromCharCode(unit);
    }
    return text;
  }

  #segmentOf(address: number): Uint8Array {
    return this.#segments[address >>> segmentBits] as Uint8Array;
  }
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number;
}

/** Two integers of 32 bits. */
export type HashKey = readonly [number, number];

/**
 * Computes HalfSipHash-1-3, a hash for hash tables with a secret key: texts that have the same hash and would make a
 * table slow cannot be prepared without the key. Returns a signed integer of 32 bits.
 */
export function halfSipHash(bytes: Uint8Array, start: number, end: number, key: HashKey): number {
  let v0 = key[0] | 0;
  let v1 = key[1] | 0;
  let v2 = v0 ^ 0x6c796765;
  let v3 = v1 ^ 0x74656462;
  const tail = end - ((end - start) & 3);
  // One round for each word of four bytes, one for the rest with the length, and three without a word.
  for (let at = start; at <= tail + 12; at += 4) {
    let word = 0;
    if (at < tail)
      word =
        byteAt(bytes, at) |
        (byteAt(bytes, at + 1) << 8) |
        (byteAt(bytes, at + 2) << 16) |
        (byteAt(bytes, at + 3) << 24);
    else if (at === tail) {
      word = (end - start) << 24;
      for (let rest = tail; rest < end; rest++) word |= byteAt(bytes, rest) << (8 * (rest - tail));
    } else if (at === tail + 4) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return v1 ^ v3;
}

/**
 * A set of texts, numbered from 0 in the order in which they were added. It is a hash table with open addressing, and
 * takes 11 to 18 bytes for each text besides the text itself.
 */
export class TextTable {
  readonly #store: TextStore;
  readonly #key: HashKey;
  /** The address of each text. */
  readonly #addresses = new IntegerList();
  /** The number of a text plus 1; 0 if the slot is free. The length is a power of 2, at most 3/4 are in use. */
  #slots = new Uint32Array(2048);
  /** Eight bits of the hash of each slot, so that a text is compared with almost no other one. */
  #tags = new Uint8Array(2048);
  /** The text that was looked for last, and its slot: a text is often added right after it was not found. */
  #lastText: string | null = null;
  #lastSlot = 0;
  #lastTag = 0;

  /** @param store The store of the texts, which may also contain other texts. */
  constructor(store: TextStore) {
    this.#store = store;
    const [one = 0, other = 0] = crypto.getRandomValues(new Uint32Array(2));
    this.#key = [one, other];
  }

  get size(): number {
    return this.#addresses.length;
  }

  /** Size of the memory in bytes, with that of the store. */
  get bytes(): number {
    return this.#store.bytes + 4 * this.#addresses.length + 5 * this.#slots.length;
  }

  /** Returns the number of a text; -1 if the table does not contain it. */
  numberOf(text: string): number {
    return (this.#slots[this.#slotOf(text)] as number) - 1;
  }

  /** Adds a text unless the table contains it. Returns its number. */
  add(text: string): number {
    const slot = this.#slotOf(text);
    const found = this.#slots[slot] as number;
    if (found > 0) return found - 1;
    this.#addresses.push(this.#store.add(text));
    this.#slots[slot] = this.size;
    this.#tags[slot] = this.#lastTag;
    if (this.size * 4 > this.#slots.length * 3) this.#grow();
    return this.size - 1;
  }

  /** Returns the slot of a text, or the free slot for it. */
  #slotOf(text: string): number {
    if (text === this.#lastText) return this.#lastSlot;
    this.#store.encode(text);
    const hash = this.#store.hashOfEncoded(this.#key);
    const tag = hash >>> 24;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let number = this.#slots[slot] as number; number > 0; number = this.#slots[slot] as number) {
      if (this.#tags[slot] === tag && this.#store.isEncodedAt(this.#addresses.get(number - 1))) break;
      slot = (slot + 1) & mask;
    }
    this.#lastTag = tag;
    this.#lastText = text;
    this.#lastSlot = slot;
    return slot;
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const tags = new Uint8Array(slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.size; number++) {
      const hash = this.#store.hashAt(this.#addresses.get(number), this.#key);
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
      tags[slot] = hash >>> 24;
    }
    this.#slots = slots;
    this.#tags = tags;
    this.#lastText = null;
  }
}
