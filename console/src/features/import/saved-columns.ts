import { type ColumnMapping, digestOf, isImportField } from '@anagrafe/importer';

const place = 'anagrafe.import.columns';
/** Number of files whose mapping is kept. */
const savedMax = 20;

/** The fields of the columns of a file, in their order, by the digest of its header. */
type Saved = readonly (readonly [header: string, fields: readonly unknown[]])[];

/** Returns the mapping that was saved for a file with the same columns; null if there is none. */
export function savedColumns(names: readonly string[]): ColumnMapping | null {
  const header = headerOf(names);
  const fields = readSaved().find(([saved]) => saved === header)?.[1];
  if (fields?.length !== names.length) return null;
  return Object.fromEntries(
    names.map((name, at) => {
      const field = fields[at];
      return [name, typeof field === 'string' && isImportField(field) ? field : null];
    }),
  );
}

/**
 * Saves the mapping in this browser. The column names are not stored: the first line of a file without a header is data.
 */
export function saveColumns(names: readonly string[], columns: ColumnMapping): void {
  const header = headerOf(names);
  const others = readSaved().filter(([saved]) => saved !== header);
  const entry = [header, names.map((name) => columns[name] ?? null)];
  localStorage.setItem(place, JSON.stringify([entry, ...others].slice(0, savedMax)));
}

function readSaved(): Saved {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(place) ?? '[]');
    return Array.isArray(saved) ? saved.filter((entry) => Array.isArray(entry?.[1])) : [];
  } catch {
    return [];
  }
}

function headerOf(names: readonly string[]): string {
  return `${digestOf(JSON.stringify(names))}-${names.length}`;
}
