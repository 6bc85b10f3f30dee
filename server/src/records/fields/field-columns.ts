import { searchTerms } from '../../usernames/username.ts';
import { columnText, type Definitions, type FieldEdits, type FieldValue } from './fields.ts';

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
  /** Returns the value of the column as a parameter of a statement. */
  textFrom(values: Values): string | null;
}

type Values = Readonly<Record<string, FieldValue | null | undefined>>;

/** Returns the columns that are written: those of the fields, and `name_terms` if there are names. */
function columnsOf(table: Definitions): ColumnDefinition[] {
  const columns = Object.entries(table).map(([name, { column, format }]): ColumnDefinition => {
    const type = format === 'attributes' ? 'jsonb' : 'text';
    return { column, type, textFrom: (values) => columnText(values[name] ?? null) };
  });
  const names = Object.keys(table).filter((name) => table[name]?.search === 'name');
  return names.length === 0 ? columns : [...columns, nameTermsColumn(names)];
}

function nameTermsColumn(names: readonly string[]): ColumnDefinition {
  return {
    column: 'name_terms',
    type: 'tsvector',
    textFrom(values) {
      const terms = searchTerms(names.map((name) => columnText(values[name] ?? null)));
      // A term consists of letters and digits, so that it needs no escapes.
      return terms.length === 0 ? null : terms.map((term) => `'${term}'`).join(' ');
    },
  };
}

/** Returns the columns that are written, for the column list of a statement, or as expressions of a row source. */
export function columnNames(table: Definitions, source?: string): string {
  return columnsOf(table)
    .map(({ column }) => (source ? `${source}.${column}` : column))
    .join(', ');
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
