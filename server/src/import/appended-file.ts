import { type FileHandle, open } from 'node:fs/promises';
import { Prefix } from './prefix.ts';
import { ImportError } from './task.ts';

/** A file as it was at a moment. */
export interface Written {
  readonly bytes: number;
  readonly digest: string;
}

/** A file that grows by what is certain. It may hold passwords, so that only its owner can read it. */
export class AppendedFile {
  readonly #file: FileHandle;
  readonly #content: Prefix;
  #bytes = 0;

  private constructor(file: FileHandle, content: Prefix) {
    this.#file = file;
    this.#content = content;
  }

  /** A new one, in place of one that is there. */
  static async create(path: string): Promise<AppendedFile> {
    const file = await open(path, 'w', 0o600);
    await file.chmod(0o600);
    return new AppendedFile(file, new Prefix(path));
  }

  /**
   * Goes on where it was, and forgets what is behind; anew where the file has been moved away.
   *
   * @throws where it is no longer what it was.
   */
  static async goOn(path: string, was: Written): Promise<AppendedFile> {
    const file = await open(path, 'r+', 0o600).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
      return null;
    });
    if (!file || was.bytes === 0) {
      await file?.close();
      return AppendedFile.create(path);
    }
    const going = new AppendedFile(file, new Prefix(path));
    if ((await going.#content.digestTo(was.bytes)) !== was.digest) {
      await file.close();
      throw new ImportError(
        `${path} has changed since the import was stopped. Move it away to go on with a new one.`,
      );
    }
    await file.truncate(was.bytes);
    going.#bytes = was.bytes;
    return going;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  async written(): Promise<Written> {
    return { bytes: this.#bytes, digest: await this.#content.digestTo(this.#bytes) };
  }

  /** Returns once it is on the disk. */
  async append(text: string): Promise<void> {
    if (text === '') return;
    for (let left = Buffer.from(text); left.length > 0; ) {
      const { bytesWritten } = await this.#file.write(left, 0, left.length, this.#bytes);
      this.#bytes += bytesWritten;
      left = left.subarray(bytesWritten);
    }
    await this.#file.sync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
