import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import type { ColumnMapping } from '../file/columns.ts';
import { type ImportFile, openImportFile } from '../file/open.ts';
import type { RowPrincipal } from '../file/row-user.ts';
import type { Encoding } from '../file/types.ts';
import type { BatchLimits, RowTotal } from '../import/batches.ts';
import type { ImportConnection } from '../import/calls.ts';
import type { WithoutKeyPolicy } from '../import/companies.ts';
import type { InviteChannel } from '../import/invitations.ts';
import type { Language } from '../import/italian.ts';
import type { ReasonSummary } from '../import/reasons.ts';
import type { ExistingPolicy, WriteRules } from '../import/records.ts';
import type { ImportTotals } from '../import/totals.ts';
import type { WarningLog } from '../import/warnings.ts';

/** A file to read: its path, and the options that determine how it is read. */
export interface FileTask {
  readonly purpose: 'register' | 'reset';
  /** Absolute path of the imported file. */
  readonly path: string;
  readonly columns: ColumnMapping;
  /** Name or number, from 1, of the sheet of a workbook; null for the first one. */
  readonly sheet: string | null;
  /** Null detects the encoding. */
  readonly encoding: Encoding | null;
  /** Null detects the separator. */
  readonly separator: string | null;
  /** Keeps rows that seem to be totals. Otherwise they are left out. */
  readonly keepsTotals: boolean;
  /** The principal of rows that name none; null if there is no default. */
  readonly principal: RowPrincipal | null;
  readonly existing: ExistingPolicy;
  /** File for generated passwords; null generates none. */
  readonly passwordsPath: string | null;
  /** How new users without a password get codes to set one; null if they are not invited. */
  readonly invite: InviteChannel | null;
}

/** An import of one file: its options, and the paths of the files it reads and writes. */
export interface ImportTask extends FileTask, WriteRules {
  readonly url: string;
  /** Public key of the API client; null if there is no credential. */
  readonly caller: string | null;
  /** The language of the reasons in the file of failed rows. */
  readonly language: Language;
  readonly withoutKey: WithoutKeyPolicy;
  /** File for the codes of invited users; null if there are none, or if they are sent by mail. */
  readonly codesPath: string | null;
  /** File for the failed rows. If it exists, a number is added to the name of the new file. */
  readonly failedPath: string;
  /** File for the rows that would fail, written by a dry run. A number is added in the same way. */
  readonly wouldFailPath: string;
  readonly progressPath: string;
  /** The size of the batches, which must be the same in a run that is resumed. */
  readonly batches: BatchLimits;
}

/** Maximum number of lines in a result. */
export const samplesMax = 10;

/** The rows of completed batches. Each row is either failed, skipped, repeated or applied. */
export interface CompletedRows {
  readonly rows: number;
  readonly failed: number;
  /** Rows that have changed nothing, because all of their values were stored already. */
  readonly skipped: number;
  /** Rows that were left out, because they are exact copies of earlier ones. */
  readonly repeated: number;
}

/** The part of a report that an import and a dry run share. */
export interface ReportedRows extends CompletedRows {
  /** Lines of the first skipped rows, at most `samplesMax`. */
  readonly skippedLines: readonly number[];
  /** The effects of the other rows. */
  readonly totals: ImportTotals;
  /** The reasons of the failed rows, the most frequent first. */
  readonly reasons: readonly ReasonSummary[];
  readonly warnings: WarningLog;
  /** Failed rows whose usernames stored users have. */
  readonly usernamesTaken: number;
}

export const noRows: CompletedRows = { rows: 0, failed: 0, skipped: 0, repeated: 0 };

export interface ImportCounts {
  /** The completed rows, and an estimate for the current batch. Never decreases. */
  readonly rowsDone: number;
  readonly completed: CompletedRows;
  /** Null while it is not known. */
  readonly total: RowTotal | null;
}

/** The connection of an import, and the functions that it reports its progress to. */
export interface ImportContext extends ImportConnection {
  /** Called once the file is open. `before` has the rows that earlier runs have completed. */
  onOpen(file: ImportFile, before: CompletedRows): void;
  onProgress(counts: ImportCounts): void;
  /** Called when the service has accepted a job and when the job has ended. */
  onJob(id: string, state: 'submitted' | 'ended'): void;
}

/** The reason why an import stopped. The message is shown to the operator unchanged. */
export class ImportError extends Error {
  override name = 'ImportError';
}

export async function openTaskFile(task: FileTask): Promise<ImportFile> {
  const { encoding, separator, sheet, keepsTotals, principal, columns, purpose } = task;
  await requireFile(task.path);
  return openImportFile(createReadStream(task.path), {
    columns,
    keepsTotals,
    resets: purpose === 'reset',
    // With the policy `update` the users may exist, and then need no password.
    withoutPasswords: task.passwordsPath !== null || task.invite !== null || task.existing === 'update',
    ...(encoding && { encoding }),
    ...(separator && { separator }),
    ...(sheet && { sheet }),
    ...(principal && { principal }),
  });
}

/** Throws if the file does not exist or is a folder. */
export async function requireFile(path: string): Promise<void> {
  if ((await stat(path)).isDirectory()) throw new ImportError(`${path} is a folder. Choose a file.`);
}

/** Throws if two paths of the task are the same file, so that no output overwrites the input or another output. */
export async function requireDistinctPaths(task: ImportTask): Promise<void> {
  const seen = new Set<string>();
  for (const path of [
    task.path,
    task.failedPath,
    task.wouldFailPath,
    task.passwordsPath,
    task.codesPath,
    task.progressPath,
  ]) {
    if (path === null) continue;
    const real = await realPath(path);
    if (seen.has(real))
      throw new ImportError(
        `${path} is used for two purposes. Choose a separate file for the input, for --failed, --progress, --generate-passwords and --codes.`,
      );
    seen.add(real);
  }
}

/**
 * Returns the path of a file that does not exist: `users.failed.csv`, `users.failed-2.csv`, … The failed rows of
 * `users.failed.csv` itself are numbered in the same way, and so are those of a dry run, `users.would-fail.csv`. The
 * operator may have corrected an earlier file by hand.
 */
export async function unusedPath(path: string): Promise<string> {
  const { dir, name, ext } = parse(path);
  const base = name.replace(/(\.failed|\.would-fail)(?:-\d+)?\1$/, '$1');
  for (let number = 1; ; number++) {
    const candidate = join(dir, `${base}${number === 1 ? '' : `-${number}`}${ext}`);
    if (!(await stat(candidate).catch(ignoreMissing))) return candidate;
  }
}

/** Resolves symbolic links, also for a file that does not exist yet. */
async function realPath(path: string): Promise<string> {
  const whole = await realpath(path).catch(() => null);
  return whole ?? join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path));
}

/** Returns undefined for a file that does not exist. Rethrows every other error. */
export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
