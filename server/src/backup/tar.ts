/** A file or folder of a tar archive. The content must be read to its end before the next entry. */
export interface TarEntry {
  readonly name: string;
  readonly size: number;
  readonly isFolder: boolean;
  readonly content: AsyncIterable<Buffer>;
}

/** An archive that is incomplete, or has what PostgreSQL does not write into one, such as a symbolic link. */
export class TarError extends Error {
  override name = 'TarError';
}

const blockBytes = 512;

/** Reads an archive of the format `ustar` without extensions, as PostgreSQL writes it. It ends with an empty block. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(source);
  for (;;) {
    const header = await bytes.take(blockBytes);
    if (header.every((byte) => byte === 0)) return bytes.skipRest();
    const entry = readHeader(header);
    yield { ...entry, content: bytes.pieces(entry.size) };
    await bytes.take(-entry.size & (blockBytes - 1));
  }
}

const fields = { name: [0, 100], size: [124, 12], checksum: [148, 8], type: [156, 1] } as const;
const [checksumStart, checksumBytes] = fields.checksum;
const types: Readonly<Record<string, 'file' | 'folder'>> = { '0': 'file', '': 'file', '5': 'folder' };

function readHeader(header: Buffer): Omit<TarEntry, 'content'> {
  const text = (field: keyof typeof fields) => {
    const [start, length] = fields[field];
    const value = header.toString('utf8', start, start + length);
    return value.split('\0', 1)[0] ?? '';
  };
  const octal = (field: 'size' | 'checksum') => Number.parseInt(text(field).trim() || '0', 8);
  // The checksum counts its own bytes as spaces.
  const sum = header.reduce((total, byte, at) => {
    const isOwn = at >= checksumStart && at < checksumStart + checksumBytes;
    return total + (isOwn ? 0x20 : byte);
  }, 0);
  const [name, size, type] = [text('name'), octal('size'), types[text('type')]];
  if (sum !== octal('checksum')) throw new TarError('a header of the archive has a wrong checksum');
  if (!type || name.startsWith('/') || name.split('/').includes('..') || !Number.isSafeInteger(size))
    throw new TarError(`the archive contains ${JSON.stringify(name)}, which PostgreSQL does not write`);
  return { name, size, isFolder: type === 'folder' };
}

class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #waiting: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(count)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async *pieces(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#waiting.length === 0) {
        const { done, value } = await this.#source.next();
        if (done) throw new TarError('the archive is incomplete');
        this.#waiting = value;
      }
      const piece = this.#waiting.subarray(0, left);
      this.#waiting = this.#waiting.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** Reads on to the end, so that the checks of the source reach the last byte. */
  async skipRest(): Promise<void> {
    while (!(await this.#source.next()).done);
  }
}
