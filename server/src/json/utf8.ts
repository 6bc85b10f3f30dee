import { isUtf8 } from 'node:buffer';

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Returns the offset of the first byte after an optional byte order mark. */
export function startOfText(bytes: Uint8Array): number {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? BYTE_ORDER_MARK.length : 0;
}

/** Returns the exclusive end of a piece of `size` bytes, extended by up to 3 bytes so that it splits no character. */
export function endOfPiece(bytes: Uint8Array, start: number, size: number): number {
  const earliest = Math.min(start + size, bytes.length);
  let end = earliest;
  while (end < earliest + 3 && isContinuation(bytes[end])) end++;
  return end;
}

/** Returns the offset of the first character in the piece that is not valid UTF-8; -1 if all are valid. */
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

/** Returns the length of a piece of valid UTF-8 in UTF-16 code units. */
export function lengthInUtf16(bytes: Uint8Array, start: number, end: number): number {
  let units = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (!isContinuation(byte)) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
