import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A text in the forms in which a careless program could write it down. */
export function formsOf(text: string): Buffer[] {
  const utf16 = Buffer.from(text, 'utf16le');
  const hex = Buffer.from(text).toString('hex');
  // How it looks in base64 depends on where it stands in what is encoded; its ends depend on its neighbours.
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

/** The files of a folder and of all folders in it that hold a text in one of its forms. */
export async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // A file that goes while the folder is being looked through is one that the database has no more.
    const content = await readFile(path).catch(() => Buffer.alloc(0));
    if (holds(content, text)) found.push(path);
  }
  return found;
}
