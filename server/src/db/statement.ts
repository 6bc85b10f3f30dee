export interface Statement {
  /** Null if PostgreSQL parses and plans the statement at each execution. */
  readonly name: string | null;
  readonly text: string;
  /** The names of `$1`, `$2`, ... */
  readonly parameters: readonly string[];
}

export type ParameterValues = Readonly<Record<string, unknown>>;

/** A statement with the values of its parameters. */
export interface Query {
  readonly statement: Statement;
  readonly values: ParameterValues;
}

/** `:name`, but not the second colon of a cast such as `::bigint`. */
const parameterPattern = /(?<![:\w]):([a-z]\w*)/gi;

/**
 * Makes a statement of SQL in which parameters have names: `:userId` becomes `$1`, `$2`, ... in the order of first use.
 */
export function statement(sql: string, name: string | null = null): Statement {
  const parameters: string[] = [];
  const text = sql.replace(parameterPattern, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  return { name, text, parameters };
}

/**
 * Makes a statement that each connection parses and plans once. Its plan stays the same while a table grows from a few
 * rows to millions, until the next ANALYZE; so this is for statements that read at most one row by each index.
 */
export function preparedStatement(name: string, sql: string): Statement {
  return statement(sql, name);
}

/** A statement as the driver takes it: with the values of `$1`, `$2`, ... */
export interface BoundStatement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export function bind({ statement: { name, text, parameters }, values }: Query): BoundStatement {
  const ordered = parameters.map((parameter) => {
    if (values[parameter] === undefined) throw new Error(`the parameter :${parameter} has no value`);
    return values[parameter];
  });
  return { ...(name !== null && { name }), text, values: ordered };
}

/**
 * Returns SQL that selects columns of the rows whose unique column `key` has one of the values of the array `$1`, which
 * must be different ones. Each row is found by the index: `limit 1` keeps the planner from joining the whole table. For
 * `key = any($1)` with 1,000 values, it would read a table of some 100,000 rows, which takes ten times as long.
 */
export function selectByKeys(
  columns: string,
  table: string,
  key: string,
  type: ColumnType,
  condition = 'true',
): string {
  return `select found.* from unnest($1::${type}[]) as wanted (key)
    cross join lateral (
      select ${columns} from anagrafe.${table} where ${key} = wanted.key and ${condition} limit 1) as found`;
}

type ColumnType = 'bigint' | 'integer' | 'text' | 'boolean' | 'uuid' | 'inet' | 'jsonb' | 'tsvector';

/** Maximum number of rows that are read in one step. */
export const elementsAtOnce = 2000;

/** A list of rows as a parameter of a statement: PostgreSQL receives one array per column. */
export interface RowsParameter<Column extends string> {
  /** Row source for a `from` clause. It has the columns, and `index`, which numbers the rows from 1. */
  readonly sql: string;
  /** Returns the arrays. A function for each column reads its value from a row. */
  values<Row>(
    rows: readonly Row[],
    columns: Readonly<Record<Column, (row: Row) => unknown>>,
  ): ParameterValues;
}

export function rowsParameter<Column extends string>(
  alias: string,
  columns: Readonly<Record<Column, ColumnType>>,
): RowsParameter<Column> {
  const names = Object.keys(columns) as Column[];
  const arrays = names.map((column) => `:${alias}_${column}::${columns[column]}[]`);
  return {
    sql: `unnest(${arrays.join(', ')}) with ordinality as ${alias} (${names.join(', ')}, index)`,
    values: (rows, elements) =>
      Object.fromEntries(names.map((column) => [`${alias}_${column}`, arrayValue(rows, elements[column])])),
  };
}

/**
 * Serialises an array, which the driver does more slowly. Nulls at the end are left out, because `unnest` adds nulls to
 * the shorter of its arrays.
 */
function arrayValue<Row>(rows: readonly Row[], elementOf: (row: Row) => unknown): string {
  const elements = rows.map(elementOf);
  const length = elements.findLastIndex((value) => value !== null) + 1;
  return `{${elements
    .slice(0, length)
    .map((value) => (value === null ? 'NULL' : arrayElement(value)))
    .join(',')}}`;
}

function arrayElement(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  // Two searches are several times faster than a regular expression, and few texts need an escape.
  if (!value.includes('"') && !value.includes('\\')) return `"${value}"`;
  return `"${value.replace(/[\\"]/g, '\\$&')}"`;
}

/** Returns an array literal, for a text column that the statement casts to an array type. */
export function arrayLiteral(values: readonly (string | number)[]): string {
  return `{${values.map(arrayElement).join(',')}}`;
}
