import type pg from 'pg';
import { answerTo, closeAtOnce } from './client.ts';
import { NoAnswer } from './errors.ts';
import { orderedValues, type Query, type Statement } from './statement.ts';

/** Sends a statement and returns its rows. Throws a `NoAnswer`, and closes the connection, if there is no valid answer. */
export async function run<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  statement: string | Statement,
  values: readonly unknown[] = [],
  answerMs: number,
): Promise<Row[]> {
  return answerOf(client, send<Row>(client, statement, values), answerMs);
}

/**
 * Sends statements together and returns all of their rows. Each of them has the time limit, which begins with the answer
 * to the one before it. Throws the first error: after it, PostgreSQL refuses the rest of the transaction.
 */
export async function runTogether(
  client: pg.ClientBase,
  queries: readonly (string | Query)[],
  answerMs: number,
): Promise<pg.QueryResultRow[]> {
  const sent = queries.map((query) =>
    typeof query === 'string'
      ? send(client, query, [])
      : send(client, query.statement, orderedValues(query.statement, query.values)),
  );
  // Without a handler, an answer that fails before it is awaited would end the process.
  for (const { answer } of sent) answer.catch(() => undefined);
  const rows: pg.QueryResultRow[] = [];
  const failures: unknown[] = [];
  for (const statement of sent) {
    await answerOf(client, statement, answerMs).then(
      (found) => {
        for (const row of found) rows.push(row);
      },
      (error) => failures.push(error),
    );
  }
  if (failures.length > 0) throw failures[0];
  return rows;
}

type DriverResult<Row extends pg.QueryResultRow> = pg.QueryResult<Row> | pg.QueryResult<Row>[];

interface SentStatement<Row extends pg.QueryResultRow> {
  readonly answer: Promise<DriverResult<Row>>;
  readonly parameters: unknown[];
}

function send<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  statement: string | Statement,
  values: readonly unknown[],
): SentStatement<Row> {
  const { text, name } = typeof statement === 'string' ? { text: statement, name: null } : statement;
  const config = name === null ? { text } : { text, name };
  const parameters = [...values];
  return { answer: client.query<Row>({ ...config, values: parameters }), parameters };
}

async function answerOf<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  { answer, parameters }: SentStatement<Row>,
  answerMs: number,
): Promise<Row[]> {
  const result = await answerTo(answer, answerMs).catch((error) => {
    // The driver would wait for the answer, and would send what it has not sent yet.
    if (error instanceof NoAnswer) closeAtOnce(client);
    throw error;
  });
  // V8 keeps ended queries of `pg` until the next collection of the whole heap, with the parameters of a large record.
  // A query that failed may still be sent, so it keeps them.
  parameters.length = 0;
  return Array.isArray(result) ? result.flatMap(({ rows }) => rows) : result.rows;
}
