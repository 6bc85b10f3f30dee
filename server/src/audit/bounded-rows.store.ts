import type { Connection } from '../db/database.ts';
import { type ParameterValues, statement } from '../db/statement.ts';

/** SQL for the stored size of the columns of an audit row that may be large. PostgreSQL knows it without reading them. */
const storedBytes = ['registered', 'reset', 'deleted', 'details', 'digests']
  .map((column) => `coalesce(pg_column_size(${column}), 0)`)
  .join(' + ');

/** Stored bytes that a query of a background task reads. They are compressed: in memory they may take ten times as much. */
const bytesAtOnce = 1024 * 1024;
/** The same for an answer: 64 answers may wait for their readers at once. */
export const bytesOfAnswer = 64 * 1024;

interface BoundedRows {
  readonly columns: string;
  /** Unique column by which the rows are ordered: `position` of rows in the hash chain, or `id` of pending rows. */
  readonly key: 'position' | 'id';
  /** Alternative WHERE clauses, none of which finds the same row as another. Each should have an index by the key. */
  readonly conditions: readonly string[];
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  /** Maximum size of the rows, as stored, before the last one. */
  readonly bytes?: number;
}

/**
 * Reads the first audit rows that match a condition: at most `limit` rows, and fewer if they are large, but at least
 * one. `more` is true if further rows match.
 */
export async function readBounded<Row extends object>(
  connection: Connection,
  { columns, key, conditions, order, limit, bytes = bytesAtOnce }: BoundedRows,
  values: ParameterValues = {},
): Promise<{ rows: Row[]; more: boolean }> {
  const table = key === 'position' ? 'anagrafe.audit_log_hashed' : 'anagrafe.audit_log_waiting';
  const ordered = `order by ${key} ${order}`;
  const parts = conditions.map(
    (condition) =>
      `(select ${key}, ${storedBytes} as bytes from ${table} where ${condition} ${ordered} limit ${limit + 1})`,
  );
  const found = await connection.execute<Row & { matches: number }>(
    statement(`with matching as materialized (
       select * from (${parts.join(' union all ')}) as part ${ordered} limit ${limit + 1}
     ), sized as (
       select ${key}, row_number() over (${ordered}) as nth, sum(bytes) over (${ordered}) - bytes as bytes_before
         from matching
     )
     select ${columns}, (select count(*) from matching) as matches from ${table}
      where ${key} = any(array(select ${key} from sized where nth <= ${limit} and bytes_before < ${bytes}))
      ${ordered}`),
    values,
  );
  const rows = found.map(({ matches: _, ...row }) => row as unknown as Row);
  return { rows, more: (found[0]?.matches ?? 0) > rows.length };
}
