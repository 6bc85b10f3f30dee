import { failure } from './errors.ts';

/** A file in a ZIP archive. */
export interface ZipEntry {
  readonly name: string;
  readonly compressed: Uint8Array<ArrayBuffer>;
  /** The size after decompression that the archive declares. It may be wrong. */
  readonly size: number;
  /** CRC-32 of the content. */
  readonly checksum: number;
  readonly isDeflated: boolean;
}

const endSignature = 0x06054b50;
const directorySignature = 0x02014b50;
const endLength = 22;
const directoryEntryLength = 46;
const localHeaderLength = 30;
/** The comment at the end of an archive has at most this length. */
const commentMax = 65_535;
/** Value of a field that is in the ZIP64 extension instead. A workbook within the limits needs none. */
const inExtension = 0xffffffff;

/**
 * Reads the directory of a ZIP archive without decompressing anything.
 *
 * @throws {ImportFileError} If the archive is damaged, encrypted or split.
 */
export function readZipDirectory(archive: Uint8Array<ArrayBuffer>): ZipEntry[] {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  try {
    return readEntries(archive, view);
  } catch (error) {
    // An offset outside the archive.
    if (error instanceof RangeError) throw failure('INVALID_WORKBOOK', { place: null });
    throw error;
  }
}

function readEntries(archive: Uint8Array<ArrayBuffer>, view: DataView): ZipEntry[] {
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  const entries: ZipEntry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let index = 0; index < count; index++) {
    const flags = view.getUint16(at + 8, true);
    const method = view.getUint16(at + 10, true);
    const checksum = view.getUint32(at + 16, true);
    const compressedSize = view.getUint32(at + 20, true);
    const size = view.getUint32(at + 24, true);
    const nameLength = view.getUint16(at + 28, true);
    const start = view.getUint32(at + 42, true);
    const isEncrypted = (flags & 1) === 1;
    if (
      view.getUint32(at, true) !== directorySignature ||
      isEncrypted ||
      (method !== 0 && method !== 8) ||
      [compressedSize, size, start].includes(inExtension)
    )
      throw failure('INVALID_WORKBOOK', { place: null });
    const nameStart = at + directoryEntryLength;
    const name = new TextDecoder().decode(archive.subarray(nameStart, nameStart + nameLength));
    // The lengths of name and extra field in the local header can differ from those in the directory.
    const content =
      start + localHeaderLength + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    const compressed = archive.subarray(content, content + compressedSize);
    entries.push({ name, compressed, size, checksum, isDeflated: method === 8 });
    at = nameStart + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - endLength - commentMax);
  for (let at = view.byteLength - endLength; at >= first; at--)
    if (view.getUint32(at, true) === endSignature) return at;
  throw failure('INVALID_WORKBOOK', { place: null });
}

/**
 * Decompresses an entry as a stream of text. Stops with an error at the size that the archive declares, so that an
 * archive cannot contain more than it says.
 *
 * @throws {ImportFileError} If the entry is damaged or larger than declared.
 */
export async function* readZipText(entry: ZipEntry): AsyncGenerator<string> {
  const { compressed, size, isDeflated } = entry;
  const decoder = new TextDecoder();
  let length = 0;
  let checksum = 0;
  try {
    const blob = new Blob([compressed]).stream();
    const stream = isDeflated ? blob.pipeThrough(new DecompressionStream('deflate-raw')) : blob;
    const reader = stream.getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        length += next.value.length;
        if (length > size) throw failure('INVALID_WORKBOOK', { place: null });
        checksum = addToChecksum(checksum, next.value);
        yield decoder.decode(next.value, { stream: true });
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  } catch (error) {
    // The stream rejects damaged data with a TypeError.
    if (error instanceof TypeError) throw failure('INVALID_WORKBOOK', { place: null });
    throw error;
  }
  if (length !== size || checksum !== entry.checksum) throw failure('INVALID_WORKBOOK', { place: null });
  yield decoder.decode();
}

const checksumTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Continues a CRC-32, as ZIP archives have it. */
function addToChecksum(before: number, bytes: Uint8Array): number {
  let value = ~before;
  for (const byte of bytes) value = (value >>> 8) ^ (checksumTable[(value ^ byte) & 0xff] as number);
  return ~value >>> 0;
}
