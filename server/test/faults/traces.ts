import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../src/db/database.ts';

/** Returns a text in the encodings in which a program could leak it. */
export function formsOf(text: string): Buffer[] {
  const utf16 = Buffer.from(text, 'utf16le');
  const hex = Buffer.from(text).toString('hex');
  // The base64 form depends on the offset of the text modulo 3; the first and last characters depend on its neighbours.
  const base64 = [0, 1, 2].map((shift) => {
    const coded = Buffer.from('x'.repeat(shift) + text).toString('base64');
    return coded.slice(shift === 0 ? 0 : 4, -4);
  });
  const texts = [text, hex, hex.toUpperCase(), ...base64].map((form) => Buffer.from(form));
  return [...texts, utf16, Buffer.from(utf16).swap16()];
}

export function holds(content: Buffer, text: string): boolean {
  return formsOf(text).some((form) => content.includes(form));
}

/** Returns the files in a folder and its subfolders that contain a text in one of its encodings. */
export async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // PostgreSQL may delete a file during the search.
    const content = await readFile(path).catch(() => Buffer.alloc(0));
    if (holds(content, text)) found.push(path);
  }
  return found;
}

/** Returns the tables, also of the queue, that contain a text in one of its encodings. */
export async function rowsWith(database: Database, text: string): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query<{ text: string }>(`select stored::text as text from ${name} as stored`);
    if (rows.some((row) => holds(Buffer.from(row.text), text))) found.push(name);
  }
  return found;
}
