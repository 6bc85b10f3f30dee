import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { type RowFaults, sentenceOf } from '@anagrafe/client/import';
import { byteOrderMark, csvLine, FailedRows, type SheetItem, type SheetLayout } from '@anagrafe/client/sheet';
import { type ImportProgress, Prefix, type Written } from './progress-file.ts';
import type { SentBatch } from './sending.ts';
import { ImportError, type ImportTask } from './task.ts';
import type { Passwords } from './users.ts';

const passwordColumns = ['Line', 'PrincipalID', 'ExternalKey', 'UserID', 'Username', 'Password'];

/** The output files of an import: the failed rows, and the generated passwords of the others. */
export class ResultFiles {
  readonly #task: ImportTask;
  readonly #memo: ImportProgress;
  readonly #failed: AppendedFile;
  readonly #passwords: AppendedFile | null;

  private constructor(
    task: ImportTask,
    progress: ImportProgress,
    failed: AppendedFile,
    passwords: AppendedFile | null,
  ) {
    this.#task = task;
    this.#memo = progress;
    this.#failed = failed;
    this.#passwords = passwords;
  }

  static async open(task: ImportTask, progress: ImportProgress): Promise<ResultFiles> {
    const { failedRows, passwords: generated } = progress.done;
    const passwords = task.passwordsPath && (await AppendedFile.goOn(task.passwordsPath, generated));
    // The operator may have corrected the failed rows of an earlier import.
    if (progress.isNew) await renameToBackup(task.failedPath);
    const failed = await AppendedFile.goOn(task.failedPath, failedRows);
    return new ResultFiles(task, progress, failed, passwords || null);
  }

  /** Writes the failed rows and the passwords of a batch, then records the batch as done. */
  async keep({ items, passwords, jobs }: SentBatch, faults: RowFaults): Promise<void> {
    const last = items.at(-1);
    if (!last) return;
    const failedRows = items.filter((item) => faults.has(item.row));
    await this.#failed.append(failedText(failedRows, faults, this.#failed.isEmpty));
    const applied = items.filter((item) => !faults.has(item.row));
    await this.#keepPasswords(applied, passwords, last.end.layout);
    const done = {
      bookmark: last.end,
      rows: last.row,
      failed: this.#memo.done.failed + failedRows.length,
      failedRows: await this.#failed.written(),
      passwords: this.#passwords ? await this.#passwords.written() : this.#memo.done.passwords,
    };
    const names = jobs.map(({ name }) => name);
    await this.#memo.keepDone(done, names);
  }

  async #keepPasswords(
    applied: readonly SheetItem[],
    passwords: Passwords,
    { separator }: SheetLayout,
  ): Promise<void> {
    const between = separator || ',';
    const lines = applied.flatMap((item) => {
      const password = passwords.get(item.row);
      if (item.kind !== 'user' || password === undefined) return [];
      const { ID, ExternalKey } = item.principal;
      const cells = [item.line, ID, ExternalKey, item.user.ID, item.user.Username, password];
      return [
        csvLine(
          cells.map((cell) => String(cell ?? '')),
          between,
        ),
      ];
    });
    if (!this.#passwords || lines.length === 0) return;
    const head = this.#passwords.isEmpty ? byteOrderMark + csvLine(passwordColumns, between) : '';
    await this.#passwords.append(head + lines.join(''));
  }

  /** Closes the files and deletes empty ones. */
  async close(): Promise<void> {
    const { failedPath, passwordsPath } = this.#task;
    await this.#failed.close();
    await this.#passwords?.close();
    if (this.#failed.isEmpty) await rm(failedPath, { force: true });
    if (passwordsPath && this.#passwords?.isEmpty) await rm(passwordsPath, { force: true });
  }
}

async function renameToBackup(path: string): Promise<void> {
  await rename(path, `${path}.before`).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/** Formats failed rows with their errors. `atStart` adds the header of the file. */
export function failedText(items: readonly SheetItem[], faults: RowFaults, atStart: boolean): string {
  const [first] = items;
  if (!first) return '';
  const writer = new FailedRows(first.end.layout);
  const rows = items.map((item) => writer.row(item, (faults.get(item.row) ?? []).map(sentenceOf)));
  return (atStart ? writer.head : '') + rows.join('');
}

/** An append-only file that a later run can resume. It may contain passwords, so its mode is 0600. */
export class AppendedFile {
  readonly #file: FileHandle;
  readonly #content: Prefix;
  #bytes = 0;

  private constructor(file: FileHandle, content: Prefix) {
    this.#file = file;
    this.#content = content;
  }

  /** Creates an empty file; truncates an existing one. */
  static async create(path: string): Promise<AppendedFile> {
    const file = await open(path, 'w', 0o600);
    await file.chmod(0o600);
    return new AppendedFile(file, new Prefix(path));
  }

  /**
   * Opens a file for appending at its saved length and truncates the rest; creates the file if it is missing.
   *
   * @throws {ImportError} if the content up to the saved length has changed.
   */
  static async goOn(path: string, saved: Written): Promise<AppendedFile> {
    const file = await open(path, 'r+', 0o600).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
      return null;
    });
    if (!file || saved.bytes === 0) {
      await file?.close();
      return AppendedFile.create(path);
    }
    const resumed = new AppendedFile(file, new Prefix(path));
    if ((await resumed.#content.digestTo(saved.bytes)) !== saved.digest) {
      await file.close();
      throw new ImportError(
        `${path} has changed since the import was stopped. Move it away to go on with a new one.`,
      );
    }
    await file.truncate(saved.bytes);
    resumed.#bytes = saved.bytes;
    return resumed;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  async written(): Promise<Written> {
    return { bytes: this.#bytes, digest: await this.#content.digestTo(this.#bytes) };
  }

  /** Resolves after the fsync. */
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
