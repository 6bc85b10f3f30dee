import { isUtf8 } from 'node:buffer';

const MARK = [0xef, 0xbb, 0xbf];

/** The first byte of the text, after the byte order mark if there is one. */
export function startOfText(bytes: Uint8Array): number {
  return MARK.every((byte, i) => bytes[i] === byte) ? MARK.length : 0;
}

/** The end of a piece of about `size` bytes, moved on so that it cuts no character. */
export function endOfPiece(bytes: Uint8Array, start: number, size: number): number {
  const earliest = Math.min(start + size, bytes.length);
  let end = earliest;
  while (end < earliest + 3 && isContinuation(bytes[end])) end++;
  return end;
}

/** The first byte of the first character in the piece that is not UTF-8; -1 when all are. */
export function firstInvalid(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  for (const size of [end - start, 256, 1]) {
    while (at < end) {
      const next = Math.min(endOfPiece(bytes, at, size), end);
      if (!isUtf8(bytes.subarray(at, next))) break;
      at = next;
    }
    if (at >= end) return -1;
  }
  return at;
}

/** The length of a valid piece in UTF-16 units. */
export function lengthInUtf16(bytes: Uint8Array, start: number, end: number): number {
  let units = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (!isContinuation(byte)) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}

/** Writes a character as UTF-8 and gives the position after it. */
export function encodeCharacter(point: number, into: Uint8Array, at: number): number {
  if (point < 0x80) {
    into[at] = point;
    return at + 1;
  }
  if (point < 0x800) {
    into[at] = 0xc0 | (point >> 6);
    into[at + 1] = 0x80 | (point & 0x3f);
    return at + 2;
  }
  if (point < 0x10000) {
    into[at] = 0xe0 | (point >> 12);
    into[at + 1] = 0x80 | ((point >> 6) & 0x3f);
    into[at + 2] = 0x80 | (point & 0x3f);
    return at + 3;
  }
  into[at] = 0xf0 | (point >> 18);
  into[at + 1] = 0x80 | ((point >> 12) & 0x3f);
  into[at + 2] = 0x80 | ((point >> 6) & 0x3f);
  into[at + 3] = 0x80 | (point & 0x3f);
  return at + 4;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
