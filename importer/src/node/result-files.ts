import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm, stat, writeFile } from 'node:fs/promises';
import type { JobInvitation } from '@anagrafe/client';
import { CsvScanner } from '../file/csv-scanner.ts';
import { byteOrderMark, csvLine, FailedRows, workbookRow, writtenRow } from '../file/failed-rows.ts';
import type { ImportFile } from '../file/open.ts';
import type { ImportRow } from '../file/rows.ts';
import { ScannedRows } from '../file/scan.ts';
import { TextReader } from '../file/text-reader.ts';
import type { FileLayout } from '../file/types.ts';
import { type GeneratedPasswords, passwordColumns, passwordLines } from '../import/fill-passwords.ts';
import { codeColumns, codeLines } from '../import/invitations.ts';
import { describeRowError, type ErrorTextOptions } from '../import/italian.ts';
import { ReasonLog } from '../import/reasons.ts';
import { namesByField, type RowErrors } from '../import/row-errors.ts';
import type { StoredRows } from '../import/stored-rows.ts';
import { addTotals, type ImportTotals } from '../import/totals.ts';
import type { FileState, ImportProgress } from './progress-file.ts';
import { ImportError, type ImportTask, ignoreMissing, samplesMax } from './task.ts';

interface CompletedBatch {
  /** All rows of the batch, including those not sent. */
  readonly rows: readonly ImportRow[];
  readonly passwords: GeneratedPasswords;
  readonly invitations: readonly JobInvitation[];
  readonly emails: ReadonlyMap<number, string>;
  readonly errors: RowErrors;
  /** The rows that failed only because they are stored already. */
  readonly stored: StoredRows;
  /** The number of all rows that were stored already. */
  readonly skipped: number;
  /** The lines of these rows, or of some of them. */
  readonly skippedLines: readonly number[];
  /** The number of rows that are copies of earlier ones. */
  readonly repeated: number;
  readonly totals: ImportTotals;
  readonly jobNames: readonly string[];
}

/** The output files of an import: the failed rows, and the generated passwords or the codes of the others. */
export class ResultFiles {
  readonly #progress: ImportProgress;
  readonly #failed: AppendedFile;
  readonly #passwords: AppendedFile | null;
  readonly #codes: AppendedFile | null;
  readonly #texts: ErrorTextOptions;
  readonly #reasons: ReasonLog;

  private constructor(
    progress: ImportProgress,
    failed: AppendedFile,
    passwords: AppendedFile | null,
    codes: AppendedFile | null,
    texts: ErrorTextOptions,
  ) {
    this.#progress = progress;
    this.#failed = failed;
    this.#passwords = passwords;
    this.#codes = codes;
    this.#texts = texts;
    this.#reasons = new ReasonLog(texts, progress.done.reasons);
  }

  static async open(
    task: ImportTask,
    progress: ImportProgress,
    { columns }: Pick<ImportFile, 'columns'>,
  ): Promise<ResultFiles> {
    const { failedRows, passwords: generated, codes: issued } = progress.done;
    const passwords = task.passwordsPath && (await AppendedFile.resume(task.passwordsPath, generated));
    const codes = task.codesPath && (await AppendedFile.resume(task.codesPath, issued));
    const failed = await AppendedFile.resume(appendedPath(progress.failedPath), failedRows);
    const texts = { language: task.language, names: namesByField(columns) };
    return new ResultFiles(progress, failed, passwords || null, codes || null, texts);
  }

  /** Writes the failed rows, the passwords and the codes of a batch, then records the batch as done. */
  async write(batch: CompletedBatch, layout: FileLayout): Promise<void> {
    const { rows, errors, skipped, skippedLines, repeated, totals, jobNames } = batch;
    const failedRows = rows.filter((row) => errors.has(row.number));
    for (const { number, line } of failedRows) this.#reasons.add(line, errors.get(number) ?? []);
    const atStart = this.#failed.isEmpty;
    await this.#failed.append(formatFailedRows(failedRows, errors, layout, this.#texts, atStart));
    await this.#writePasswords(batch, layout.separator || ',');
    await this.#writeCodes(batch, layout.separator || ',');
    const { done } = this.#progress;
    const next = {
      rows: rows.at(-1)?.number ?? done.rows,
      failed: done.failed + failedRows.length,
      skipped: done.skipped + skipped,
      repeated: done.repeated + repeated,
      skippedLines: [...done.skippedLines, ...skippedLines].slice(0, samplesMax),
      totals: addTotals(done.totals, totals),
      reasons: this.#reasons.summaries,
      failedRows: this.#failed.state,
      passwords: this.#passwords?.state ?? done.passwords,
      codes: this.#codes?.state ?? done.codes,
    };
    await this.#progress.recordDone(next, jobNames);
  }

  async #writePasswords(batch: CompletedBatch, separator: string): Promise<void> {
    const { rows, passwords, emails, errors, stored } = batch;
    if (!this.#passwords || passwords.size === 0) return;
    const applied = rows.filter(({ number }) => !errors.has(number) && !stored.has(number));
    const lines = passwordLines(applied, passwords, separator, emails);
    if (lines.length === 0) return;
    const head = this.#passwords.isEmpty ? byteOrderMark + csvLine(passwordColumns, separator) : '';
    await this.#passwords.append(head + lines.join(''));
  }

  async #writeCodes({ invitations }: CompletedBatch, separator: string): Promise<void> {
    const lines = codeLines(invitations, separator);
    if (!this.#codes || lines.length === 0) return;
    const head = this.#codes.isEmpty ? byteOrderMark + csvLine(codeColumns, separator) : '';
    await this.#codes.append(head + lines.join(''));
  }

  async close(): Promise<void> {
    await this.#failed.close();
    await this.#passwords?.close();
    await this.#codes?.close();
  }
}

/** Maximum number of rows of a workbook that is written. More of them stay in a CSV file. */
const workbookRowsMax = 200_000;

/** Returns the path of the text file to which failed rows are appended until they become a workbook. */
export function appendedPath(path: string): string {
  return isWorkbook(path) ? `${path}.csv` : path;
}

function isWorkbook(path: string): boolean {
  return path.toLowerCase().endsWith('.xlsx');
}

/**
 * Converts the failed rows to a workbook if their path is that of one: a workbook cannot be appended to, as an import that
 * may be interrupted requires. Returns the path of the file.
 */
export async function completeFailedRows(path: string, { format, separator }: FileLayout): Promise<string> {
  const source = appendedPath(path);
  if (source === path || !(await stat(source).catch(ignoreMissing))) return path;
  if (format !== 'csv') return source;
  const text = new TextReader(createReadStream(source), 'utf-8');
  const rows: (readonly string[])[] = [];
  for await (const found of new ScannedRows(text, new CsvScanner(separator)).remaining())
    for (const { content } of found) rows.push(workbookRow(writtenRow(content ?? [])));
  if (rows.length > workbookRowsMax) return source;
  const { writeWorkbook } = await import('../file/workbook-writer.ts');
  await writeFile(path, await writeWorkbook(rows), { mode: 0o600 });
  await rm(source);
  return path;
}

/** Formats failed rows with their errors. `atStart` adds the header of the file. */
export function formatFailedRows(
  rows: readonly ImportRow[],
  errors: RowErrors,
  layout: FileLayout,
  texts: ErrorTextOptions,
  atStart: boolean,
): string {
  if (rows.length === 0) return '';
  const writer = new FailedRows(layout);
  const messages = (row: ImportRow) =>
    (errors.get(row.number) ?? []).map((error) => describeRowError(error, texts));
  const lines = rows.map((row) => writer.row(row, messages(row)));
  return (atStart ? writer.head : '') + lines.join('');
}

/** Throws if the file is not empty: it may contain generated passwords that are stored nowhere else. */
export async function requireEmpty(path: string): Promise<void> {
  const found = await stat(path).catch(ignoreMissing);
  if (found && found.size > 0)
    throw new ImportError(
      `${path} already exists and may contain passwords. Move it, or choose another file.`,
    );
}

/** An append-only file that a later run can resume. It may contain passwords, so its mode is 0600. */
export class AppendedFile {
  readonly #path: string;
  readonly #file: FileHandle;
  #bytes = 0;
  /** SHA-256 of the content. */
  readonly #hash = createHash('sha256');

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Creates an empty file; truncates an existing one. */
  static async create(path: string): Promise<AppendedFile> {
    const file = await open(path, 'w', 0o600);
    await file.chmod(0o600);
    return new AppendedFile(path, file);
  }

  /**
   * Opens a file for appending at its saved length and truncates the rest; creates the file if it is missing.
   *
   * @throws {ImportError} if the content up to the saved length has changed.
   */
  static async resume(path: string, saved: FileState): Promise<AppendedFile> {
    const file = await open(path, 'r+', 0o600).catch(ignoreMissing);
    if (!file || saved.bytes === 0) {
      await file?.close();
      return AppendedFile.create(path);
    }
    const resumed = new AppendedFile(path, file);
    resumed.#bytes = saved.bytes;
    for await (const chunk of createReadStream(path, { end: saved.bytes - 1 })) resumed.#hash.update(chunk);
    if (resumed.state.digest !== saved.digest) {
      await file.close();
      throw new ImportError(
        `${path} has changed since the import was interrupted. Move it, then run the command again to resume with a new file.`,
      );
    }
    await file.truncate(saved.bytes);
    return resumed;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  get state(): FileState {
    return { bytes: this.#bytes, digest: this.#hash.copy().digest('hex') };
  }

  /** Resolves after the fsync. */
  async append(text: string): Promise<void> {
    if (text === '') return;
    const bytes = Buffer.from(text);
    for (let left = bytes; left.length > 0; ) {
      const { bytesWritten } = await this.#file.write(left, 0, left.length, this.#bytes);
      this.#bytes += bytesWritten;
      left = left.subarray(bytesWritten);
    }
    this.#hash.update(bytes);
    await this.#file.sync();
  }

  /** Closes the file and deletes an empty one. */
  async close(): Promise<void> {
    await this.#file.close();
    if (this.isEmpty) await rm(this.#path, { force: true });
  }
}
