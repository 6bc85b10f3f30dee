import { rename, rm } from 'node:fs/promises';
import { AppendedFile } from './result-files.ts';

/** Characters that are written at once. */
const textMax = 1_048_576;

/** A file with secrets, which only its owner can read. It has the suffix `.part` until it is complete. */
export class PrivateFile {
  readonly #path: string;
  readonly #part: AppendedFile;
  #isOpen = true;

  private constructor(path: string, part: AppendedFile) {
    this.#path = path;
    this.#part = part;
  }

  /** Creates the file with the suffix, so that a folder that cannot be written to is found before there are secrets. */
  static async create(path: string): Promise<PrivateFile> {
    await rm(partOf(path), { force: true });
    return new PrivateFile(path, await AppendedFile.create(partOf(path)));
  }

  /** Writes the texts, then replaces an existing file. */
  async complete(texts: Iterable<string>): Promise<void> {
    let text = '';
    for (const next of texts) {
      text += next;
      if (text.length < textMax) continue;
      await this.#part.append(text);
      text = '';
    }
    await this.#part.append(text);
    this.#isOpen = false;
    await this.#part.close();
    await rename(partOf(this.#path), this.#path);
  }

  /** Removes the file with the suffix, unless the file is complete. */
  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#part.close();
    await rm(partOf(this.#path), { force: true });
  }
}

function partOf(path: string): string {
  return `${path}.part`;
}
