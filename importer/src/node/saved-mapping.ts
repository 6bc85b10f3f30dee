import { readFile, writeFile } from 'node:fs/promises';
import type { ColumnMapping } from '../file/columns.ts';
import { isObject } from '../file/json-element.ts';
import type { ImportFile } from '../file/open.ts';
import { importFields, isImportField } from '../file/types.ts';
import { ImportError } from './task.ts';

/**
 * Reads a mapping that `saveMapping` has saved: a JSON object with a field, or null, for each column name.
 *
 * @throws {ImportError} If the file is not a mapping.
 */
export async function readSavedMapping(path: string): Promise<ColumnMapping> {
  const mapping = parse(await readFile(path, 'utf8'));
  if (!mapping)
    throw new ImportError(`${path} is not a saved mapping: {"Column": "Field", "Column to ignore": null}.`);
  for (const [column, field] of Object.entries(mapping))
    if (field !== null && !(typeof field === 'string' && isImportField(field)))
      throw new ImportError(
        `${path}: "${column}" is mapped to ${JSON.stringify(field)}, which is not a field. Fields: ${importFields.join(', ')}.`,
      );
  return mapping as ColumnMapping;
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Saves the field of each named column. A column without a field is saved as null, so that it stays ignored. */
export async function saveMapping(path: string, { columns }: Pick<ImportFile, 'columns'>): Promise<void> {
  const named = columns.filter(({ name }) => name.trim() !== '');
  const mapping = Object.fromEntries(named.map(({ name, field }) => [name, field]));
  await writeFile(path, `${JSON.stringify(mapping, null, 2)}\n`);
}
