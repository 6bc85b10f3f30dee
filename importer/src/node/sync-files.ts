import { rm } from 'node:fs/promises';
import { byteOrderMark, csvLine } from '../file/failed-rows.ts';
import type { ImportFile } from '../file/open.ts';
import type { ImportRow } from '../file/rows.ts';
import { type GeneratedPasswords, passwordColumns, passwordLines } from '../import/fill-passwords.ts';
import { namesByField, type RowErrors } from '../import/row-errors.ts';
import type { RowProblem } from '../plan/sync-file.ts';
import { PrivateFile } from './private-file.ts';
import { AppendedFile, appendedPath, completeFailedRows, formatFailedRows } from './result-files.ts';
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
  const errors: RowErrors = new Map();
  for (const { number, errors: found } of problems)
    errors.set(number, [...(errors.get(number) ?? []), ...found]);
  const unused = await unusedPath(path);
  const texts = { language: 'en', names: namesByField(file.columns) } as const;
  const failed = await AppendedFile.create(appendedPath(unused));
  try {
    for await (const row of file)
      if (errors.has(row.number))
        await failed.append(formatFailedRows([row], errors, file.layout, texts, failed.isEmpty));
  } finally {
    await failed.close();
  }
  return completeFailedRows(unused, file.layout);
}
