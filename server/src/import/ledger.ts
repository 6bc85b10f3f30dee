import { rename, rm } from 'node:fs/promises';
import type { RowFaults } from '@anagrafe/client/import';
import { byteOrderMark, csvLine, type SheetItem, type SheetLayout } from '@anagrafe/client/sheet';
import { AppendedFile } from './appended-file.ts';
import { failedText } from './failed-text.ts';
import type { Memo } from './memo.ts';
import type { SentBatch } from './sending.ts';
import type { ImportTask } from './task.ts';
import type { Passwords } from './users.ts';

const passwordColumns = ['Line', 'PrincipalID', 'ExternalKey', 'UserID', 'Username', 'Password'];

/** What an import leaves behind: the rows that failed, and the passwords that were made up for the others. */
export class Ledger {
  readonly #task: ImportTask;
  readonly #memo: Memo;
  readonly #failed: AppendedFile;
  readonly #passwords: AppendedFile | null;

  private constructor(task: ImportTask, memo: Memo, failed: AppendedFile, passwords: AppendedFile | null) {
    this.#task = task;
    this.#memo = memo;
    this.#failed = failed;
    this.#passwords = passwords;
  }

  static async open(task: ImportTask, memo: Memo): Promise<Ledger> {
    const { failedRows, passwords: madeUp } = memo.done;
    const passwords = task.passwordsPath && (await AppendedFile.goOn(task.passwordsPath, madeUp));
    // One of an earlier import may have been corrected meanwhile.
    if (memo.isNew) await putAside(task.failedPath);
    const failed = await AppendedFile.goOn(task.failedPath, failedRows);
    return new Ledger(task, memo, failed, passwords || null);
  }

  /** Writes down what became of the rows of a batch, and that they are done. */
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

  /** What holds nothing does not stay. */
  async close(): Promise<void> {
    const { failedPath, passwordsPath } = this.#task;
    await this.#failed.close();
    await this.#passwords?.close();
    if (this.#failed.isEmpty) await rm(failedPath, { force: true });
    if (passwordsPath && this.#passwords?.isEmpty) await rm(passwordsPath, { force: true });
  }
}

async function putAside(path: string): Promise<void> {
  await rename(path, `${path}.before`).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
