import { arrayLiteral } from '../../db/statement.ts';
import { searchTerms } from '../../usernames/username.ts';
import { columnText, type Definitions, type FieldEdits, type FieldValue, isTags } from './fields.ts';

// The columns of the fields of principals and users, for the statements that read and write them.

/** Returns the select list: `external_key as "ExternalKey", ...`. */
export function selectedColumns(table: Definitions, source?: string): string {
  return Object.entries(table)
    .map(([name, { column }]) => `${source ? `${source}.` : ''}${column} as "${name}"`)
    .join(', ');
}

interface ColumnDefinition {
  readonly column: string;
  readonly type: 'text' | 'jsonb' | 'tsvector';
  /** A cast from `type` to the type of the column; empty if they are the same. */
  readonly cast: '' | '::text[]';
  /** Returns the value of the column as a parameter of a statement. */
  textFrom(values: Values): string | null;
}

type Values = Readonly<Record<string, FieldValue | null | undefined>>;

/** Returns the columns that are written: those of the fields, and `name_terms` if there are names. */
function columnsOf(table: Definitions): ColumnDefinition[] {
  const columns = Object.entries(table).map(([name, { column, format }]): ColumnDefinition => {
    const type = format === 'attributes' ? 'jsonb' : 'text';
    const cast = format === 'tags' ? '::text[]' : '';
    return { column, type, cast, textFrom: (values) => parameterText(values[name] ?? null) };
  });
  const names = Object.keys(table).filter((name) => table[name]?.search === 'name');
  return names.length === 0 ? columns : [...columns, nameTermsColumn(names)];
}

function parameterText(value: FieldValue | null): string | null {
  return isTags(value) ? arrayLiteral(value) : columnText(value);
}

function nameTermsColumn(names: readonly string[]): ColumnDefinition {
  return {
    column: 'name_terms',
    type: 'tsvector',
    cast: '',
    textFrom(values) {
      const terms = searchTerms(names.map((name) => columnText(values[name] ?? null)));
      // A term consists of letters and digits, so that it needs no escapes.
      return terms.length === 0 ? null : terms.map((term) => `'${term}'`).join(' ');
    },
  };
}

/** Returns the columns that are written, for the column list of a statement. */
export function columnNames(table: Definitions): string {
  return columnsOf(table)
    .map(({ column }) => column)
    .join(', ');
}

/** Returns the values of the columns that are written, as expressions of a row source, by their columns. */
export function columnValues(table: Definitions, source?: string): Record<string, string> {
  return Object.fromEntries(
    columnsOf(table).map(({ column, cast }) => [column, `${source ? `${source}.` : ''}${column}${cast}`]),
  );
}

/** Returns the type of each column that is written, for `rowsParameter`. */
export function columnTypes(table: Definitions): Record<string, ColumnDefinition['type']> {
  return Object.fromEntries(columnsOf(table).map(({ column, type }) => [column, type]));
}

/** Returns a function for each column that reads it from a row, for `RowsParameter.values`. */
export function fieldColumns<Table extends Definitions, Row>(
  table: Table,
  valuesOfRow: (row: Row) => FieldEdits<Table> | null,
): Record<string, (row: Row) => string | null> {
  return Object.fromEntries(
    columnsOf(table).map(({ column, textFrom }) => {
      return [column, (row: Row) => textFrom((valuesOfRow(row) ?? {}) as Values)];
    }),
  );
}
