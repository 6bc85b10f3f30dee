import { rm } from 'node:fs/promises';
import { byteOrderMark, csvLine, FailedRows } from '../file/failed-rows.ts';
import type { ImportFile } from '../file/open.ts';
import type { ImportRow } from '../file/rows.ts';
import { type GeneratedPasswords, passwordColumns, passwordLines } from '../import/fill-passwords.ts';
import type { RowProblem } from '../plan/sync-file.ts';
import { PrivateFile } from './private-file.ts';
import { AppendedFile, appendedPath, completeFailedRows } from './result-files.ts';
import { unusedPath } from './task.ts';

/**
 * Writes the generated passwords of rows to a file that only its owner can read, and deletes the file if there are none.
 * An existing file is replaced once the new content is stored: it may have the only copy of passwords in use.
 */
export async function writePasswords(
  path: string,
  rows: readonly ImportRow[],
  passwords: GeneratedPasswords,
  separator: string,
): Promise<void> {
  const lines = passwordLines(rows, passwords, separator);
  if (lines.length === 0) {
    await rm(`${path}.part`, { force: true });
    return rm(path, { force: true });
  }
  const file = await PrivateFile.create(path);
  const texts = [byteOrderMark + csvLine(passwordColumns, separator), ...lines];
  await file.complete(texts).finally(() => file.discard());
}

/**
 * Writes the rows with problems as a file to correct and import, and returns its path. The file is read again, because a
 * sync does not keep the cells of all rows in memory.
 *
 * @param path A number is added to the name of an existing file.
 */
export async function writeProblems(
  path: string,
  file: ImportFile,
  problems: readonly RowProblem[],
): Promise<string> {
  const messages = new Map<number, string[]>();
  for (const { number, message } of problems)
    messages.set(number, [...(messages.get(number) ?? []), message]);
  const unused = await unusedPath(path);
  const writer = new FailedRows(file.layout);
  const failed = await AppendedFile.create(appendedPath(unused));
  try {
    for await (const row of file) {
      const found = messages.get(row.number);
      if (found) await failed.append((failed.isEmpty ? writer.head : '') + writer.row(row, found));
    }
  } finally {
    await failed.close();
  }
  return completeFailedRows(unused, file.layout);
}
