export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

interface Beginning {
  readonly encoding: Encoding | null;
  /** The bytes of the mark. */
  readonly length: number;
}

const marks: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The first bytes of ZIP (.xlsx, .ods) and of the older compound files (.xls). */
const spreadsheets = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/** So many bytes have to be there before the two functions below can tell. */
export const beginningBytes = 4;

/** What the byte order mark says; one that does not fit an encoding that was forced is text like any other. */
export function readMark(bytes: Uint8Array, forced: Encoding | null): Beginning {
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
