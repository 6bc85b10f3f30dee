export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

interface ByteOrderMark {
  /** Null if there is no mark and the encoding is not specified. */
  readonly encoding: Encoding | null;
  /** Length of the mark in bytes; 0 if there is none. */
  readonly length: number;
}

const marks: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** File signatures of ZIP (.xlsx, .ods) and of the OLE compound file (.xls). */
const spreadsheets = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/** Number of bytes that `readMark` and `isSpreadsheet` need. */
export const beginningBytes = 4;

/** Reads the byte order mark. A mark of another encoding than `forced` is treated as text. */
export function readMark(bytes: Uint8Array, forced: Encoding | null): ByteOrderMark {
  for (const [encoding, mark] of marks) {
    if (beginsWith(bytes, mark) && (forced === null || forced === encoding))
      return { encoding, length: mark.length };
  }
  return { encoding: forced, length: 0 };
}

export function isSpreadsheet(bytes: Uint8Array): boolean {
  return spreadsheets.some((signature) => beginsWith(bytes, signature));
}

function beginsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}
