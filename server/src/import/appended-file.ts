import { type FileHandle, open } from 'node:fs/promises';

/** A file that grows by what is certain. It may hold passwords, so that only its owner can read it. */
export class AppendedFile {
  readonly #file: FileHandle;
  #bytes: number;

  private constructor(file: FileHandle, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /** Begins after so many bytes, and forgets what is behind them. */
  static async open(path: string, bytes: number): Promise<AppendedFile> {
    const file = await open(path, bytes === 0 ? 'w' : 'r+', 0o600);
    try {
      if (bytes === 0) await file.chmod(0o600);
      await file.truncate(bytes);
      return new AppendedFile(file, bytes);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get bytes(): number {
    return this.#bytes;
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
