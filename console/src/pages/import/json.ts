import { type ColumnMapping, type JsonObject, readElement } from '@anagrafe/client/sheet';
import { type Row, recordIn } from './row.ts';
import type { UsersFile } from './users-file.ts';

/** A row as a person reads it: set out over lines, or, where it cannot be understood, as it was written. */
export function jsonOf({ source, written }: Row): string {
  return written ?? inLines(source);
}

/** The row with another text in its place. */
export function withJson(row: Row, text: string): Row {
  const { content, fault } = readElement(text, { line: 1, column: 1 });
  return { ...row, source: content, fault, written: content === null ? text : null };
}

/** Whether cells would not show all of a row, or could not make it right: it is shown as JSON then. */
export function isShownAsJson(row: Row, { layout, names }: UsersFile, columns: ColumnMapping): boolean {
  const { source } = row;
  if (layout.format === 'csv') return false;
  if (source === null || recordIn(row) !== null) return true;
  return Object.entries(source).some(([name, value]) => {
    if (!names.includes(name)) return true;
    const field = columns[name] ?? null;
    const isText = typeof value === 'string' || value === null;
    return field !== null && !isText && field !== 'ID' && field !== 'UserID';
  });
}

/** The line on which a place of a record stands, such as `Users[3].Password`; where it is missing, what it is missing in. */
export function lineOf(record: JsonObject, place: string): number {
  let line = 1;
  let within: unknown = record;
  for (const step of place.match(/[^.[\]]+/g) ?? []) {
    const parts = Object.entries(within ?? {});
    const at = parts.findIndex(([name]) => name === step);
    if (typeof within !== 'object' || at < 0) break;
    line += 1 + parts.slice(0, at).reduce((lines, [, part]) => lines + linesOf(part), 0);
    within = parts[at]?.[1];
  }
  return line;
}

/** How many lines a value takes: counted, since the text of a record with many users takes its time. */
function linesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const parts = Object.values(value);
  return parts.length === 0 ? 1 : parts.reduce((lines, part) => lines + linesOf(part), 2);
}

const passwords = /("(?:Confirm)?Password"\s*:\s*")((?:[^"\\\n]|\\.)*)/g;

/** For whoever looks over a shoulder. As long as before, so that every other character stays in its place. */
export function withoutPasswords(text: string): string {
  return text.replace(passwords, (_, name: string, secret: string) => name + '•'.repeat(secret.length));
}

function inLines(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}
