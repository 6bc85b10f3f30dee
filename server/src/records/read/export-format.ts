import { columnText, principalFieldNames, userFieldNames } from '../fields/fields.ts';
import type { ListedPrincipal, ListedUser } from './listing.ts';
import { principalTexts, userAnswer } from './listing-answers.ts';

export interface ExportedUser extends ListedUser {
  /** Null unless the export includes hashes. */
  readonly passwordHash: string | null;
}

/** A principal with some of its users. One with more than `usersPerPart` has several parts, one after the other. */
export interface ExportedPrincipal extends Omit<ListedPrincipal, 'users'> {
  readonly users: readonly ExportedUser[];
}

export const usersPerPart = 1000;

/** The separators of CSV. Excel expects a semicolon where the decimal separator is a comma. */
export const separators = { ',': ',', ';': ';', tab: '\t' } as const;

export interface FormatOptions {
  readonly hashes: boolean;
  /** Only of the formats of CSV. */
  readonly separator: keyof typeof separators;
}

interface Format {
  /** The text before the first record. */
  readonly head: string;
  /** Yields the text of a part in pieces of at most one user. */
  textsOf(part: ExportedPrincipal): Iterable<string> | AsyncIterable<string>;
}

export const exportFormats = {
  ndjson: ({ hashes }: FormatOptions): Format => ({
    head: '',
    async *textsOf(part) {
      yield* principalTexts(part, (user) => exportedUser(user, hashes));
      yield '\n';
    },
  }),
  /** The values are not changed: a file that is imported again must have the values that are stored. */
  csv: (options: FormatOptions): Format => csvFormat(options, (cell) => cell),
  /** A CSV to open in a spreadsheet, which runs no value as a formula. */
  spreadsheet: (options: FormatOptions): Format => csvFormat(options, withoutFormula),
} as const satisfies Record<string, (options: FormatOptions) => Format>;

export type ExportFormat = keyof typeof exportFormats;

function csvFormat({ hashes, separator }: FormatOptions, shown: (cell: string) => string): Format {
  const line = (cells: readonly string[]) => csvLine(cells, separators[separator]);
  const columns = csvColumns(hashes);
  const names = columns.map(([name]) => name);
  return {
    // Excel reads a CSV as UTF-8 only if it begins with the byte order mark. The importer accepts it.
    head: `\ufeff${line(names)}`,
    *textsOf(part) {
      for (const row of csvRows(part)) yield line(columns.map(([, cell]) => shown(cell(row))));
    },
  };
}

/** Matches a cell that a spreadsheet takes for a formula, also after white space and with full-width characters. */
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

export function withoutFormula(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell;
}

function exportedUser(user: ExportedUser, hashes: boolean) {
  const answer = userAnswer(user);
  return hashes ? { ...answer, PasswordHash: user.passwordHash } : answer;
}

interface CsvRow {
  readonly principal: ExportedPrincipal;
  /** Null in the only row of a principal without users. */
  readonly user: ExportedUser | null;
}

type CsvColumn = readonly [name: string, cell: (row: CsvRow) => string];

/** Returns the columns by the names that the importer knows. */
function csvColumns(hashes: boolean): CsvColumn[] {
  const sharedNames: readonly string[] = userFieldNames;
  return [
    // A principal with an external key is found by it, in another service too, where the ID means another principal.
    ['ID', ({ principal }) => (principal.ExternalKey === null ? String(principal.id) : '')],
    ...principalFieldNames.map((name): CsvColumn => {
      const column = sharedNames.includes(name) ? `Principal${name}` : name;
      return [column, ({ principal }) => columnText(principal[name]) ?? ''];
    }),
    ['PrincipalState', ({ principal }) => principal.state],
    ['Username', ({ user }) => user?.username ?? ''],
    ...userFieldNames.map((name): CsvColumn => [name, ({ user }) => columnText(user?.[name] ?? null) ?? '']),
    ['State', ({ user }) => user?.state ?? ''],
    ...(hashes ? [['PasswordHash', ({ user }: CsvRow) => user?.passwordHash ?? ''] as const] : []),
  ];
}

function csvRows(principal: ExportedPrincipal): CsvRow[] {
  const { users } = principal;
  return users.length === 0 ? [{ principal, user: null }] : users.map((user) => ({ principal, user }));
}

/** Formats a line (RFC 4180). */
export function csvLine(cells: readonly string[], separator = ','): string {
  return `${cells.map(quoted).join(separator)}\r\n`;
}

function quoted(cell: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
