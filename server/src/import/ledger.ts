import { rm, stat } from 'node:fs/promises';
import { byteOrderMark, csvLine, type SheetItem, type SheetLayout } from '@anagrafe/client/sheet';
import { AppendedFile } from './appended-file.ts';
import { failedText } from './failed-text.ts';
import type { Memo } from './memo.ts';
import type { RowFaults } from './sending.ts';
import { ImportError, type ImportTask } from './task.ts';

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
    const { failedBytes, passwordsBytes } = memo.done;
    if (task.passwordsPath !== null && passwordsBytes === 0) await refuseFilled(task.passwordsPath);
    const failed = await AppendedFile.open(task.failedPath, failedBytes);
    const passwords = task.passwordsPath && (await AppendedFile.open(task.passwordsPath, passwordsBytes));
    return new Ledger(task, memo, failed, passwords || null);
  }

  /** Writes down what became of rows, all of them or none, and that they are done. */
  async keep(items: readonly SheetItem[], faults: RowFaults, keys: readonly string[]): Promise<void> {
    const last = items.at(-1);
    if (!last) return;
    const failedRows = items.filter((item) => faults.has(item.row));
    await this.#failed.append(failedText(failedRows, faults, this.#failed.bytes === 0));
    await this.#keepPasswords(
      items.filter((item) => !faults.has(item.row)),
      last.end.layout,
    );
    const { failed } = this.#memo.done;
    await this.#memo.keepDone(
      {
        bookmark: last.end,
        rows: last.row,
        failed: failed + failedRows.length,
        failedBytes: this.#failed.bytes,
        passwordsBytes: this.#passwords?.bytes ?? 0,
      },
      keys,
    );
  }

  async #keepPasswords(applied: readonly SheetItem[], { separator }: SheetLayout): Promise<void> {
    if (!this.#passwords || applied.length === 0) return;
    const between = separator || ',';
    const head = this.#passwords.bytes === 0 ? byteOrderMark + csvLine(passwordColumns, between) : '';
    const rows = applied.flatMap((item) => (item.kind === 'user' ? [item] : []));
    const lines = rows.map(({ line, principal, user }) => {
      const cells = [line, principal.ID, principal.ExternalKey, user.ID, user.Username, user.Password];
      return csvLine(
        cells.map((cell) => String(cell ?? '')),
        between,
      );
    });
    await this.#passwords.append(head + lines.join(''));
  }

  async close(): Promise<void> {
    await this.#failed.close();
    await this.#passwords?.close();
    if (this.#failed.bytes === 0) await rm(this.#task.failedPath, { force: true });
  }
}

/** Passwords that were made up before are nowhere else. */
async function refuseFilled(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && found.size > 0)
    throw new ImportError(
      `${path} is there already, and may hold passwords. Move it away, or name another file.`,
    );
}
