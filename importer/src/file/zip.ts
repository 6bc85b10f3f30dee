import { type FileEntry, Uint8ArrayReader, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js';
import { failure, ImportFileError } from './errors.ts';

/** A file in a ZIP archive. Its `uncompressedSize` is the one that the archive declares, and may be wrong. */
export type ZipEntry = FileEntry;

const options = { checkOverlappingEntry: true, checkSignature: true, useWebWorkers: false };

/**
 * Reads the directory of a ZIP archive without decompressing anything. Returns its files by name.
 *
 * @throws {ImportFileError} If the archive is damaged or split.
 */
export async function readZipDirectory(archive: Uint8Array): Promise<ReadonlyMap<string, ZipEntry>> {
  try {
    const entries = await new ZipReader(new Uint8ArrayReader(archive), options).getEntries();
    return new Map(entries.flatMap((entry) => (entry.directory ? [] : [[entry.filename, entry]])));
  } catch {
    throw failure('INVALID_WORKBOOK', { place: null });
  }
}

/**
 * Decompresses an entry as a stream of text. Stops with an error at the size that the archive declares, so that an
 * archive cannot contain more than it says.
 *
 * @throws {ImportFileError} If the entry is damaged, encrypted, or larger than declared.
 */
export async function* readZipText(entry: ZipEntry): AsyncGenerator<string> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const reader = readable.getReader();
  const decoder = new TextDecoder();
  const completed = entry.getData(writable).then(
    () => true,
    () => false,
  );
  let length = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length;
      if (length > entry.uncompressedSize) throw failure('INVALID_WORKBOOK', { place: null });
      yield decoder.decode(next.value, { stream: true });
    }
    if (!(await completed) || length !== entry.uncompressedSize)
      throw failure('INVALID_WORKBOOK', { place: null });
  } catch (error) {
    throw error instanceof ImportFileError ? error : failure('INVALID_WORKBOOK', { place: null });
  } finally {
    await reader.cancel().catch(() => {});
  }
  yield decoder.decode();
}
