import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ColumnMapping } from '../file/columns.ts';
import { type ImportFile, openImportFile } from '../file/open.ts';
import type { RowPrincipal } from '../file/row-user.ts';
import type { Encoding } from '../file/types.ts';
import type { ImportConnection } from '../import/send.ts';

/** An import of one file: its options, and the paths of the files it reads and writes. */
export interface ImportTask {
  readonly purpose: 'register' | 'reset';
  /** Absolute path of the imported file. */
  readonly path: string;
  readonly url: string;
  /** Public key of the API client; null if there is no credential. */
  readonly caller: string | null;
  readonly columns: ColumnMapping;
  /** Null detects the encoding. */
  readonly encoding: Encoding | null;
  /** Null detects the separator. */
  readonly separator: string | null;
  /** The principal of rows that name none; null if there is no default. */
  readonly principal: RowPrincipal | null;
  /** File for generated passwords; null generates none. */
  readonly passwordsPath: string | null;
  readonly failedPath: string;
  /** File for the rows that would fail, written by a dry run. */
  readonly wouldFailPath: string;
  readonly progressPath: string;
}

export interface ImportCounts {
  /** Bytes of the file up to the last completed row; estimated inside a batch. */
  readonly bytesDone: number;
  readonly bytes: number;
  readonly rowsDone: number;
  readonly rowsFailed: number;
}

/** The connection of an import, and the functions that it reports its progress to. */
export interface ImportContext extends ImportConnection {
  /** Called once the file is open. `rowsBefore` is the number of rows that earlier runs have completed. */
  onOpen(file: ImportFile, rowsBefore: number): void;
  onProgress(counts: ImportCounts): void;
}

/** The reason why an import stopped. The message is shown to the operator unchanged. */
export class ImportError extends Error {
  override name = 'ImportError';
}

export async function openTaskFile(task: ImportTask): Promise<ImportFile> {
  const { encoding, separator, principal, columns, purpose } = task;
  await requireFile(task.path);
  return openImportFile(createReadStream(task.path), {
    columns,
    resets: purpose === 'reset',
    withoutPasswords: task.passwordsPath !== null,
    ...(encoding && { encoding }),
    ...(separator && { separator }),
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
    task.progressPath,
  ]) {
    if (path === null) continue;
    const real = await realPath(path);
    if (seen.has(real))
      throw new ImportError(
        `${path} is used for two purposes. Choose a separate file for the input, for --failed, --progress and --generate-passwords.`,
      );
    seen.add(real);
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
