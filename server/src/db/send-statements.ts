import type pg from 'pg';
import { closeAtOnce, sendTogether } from './client.ts';
import { NoAnswer, statementError } from './errors.ts';
import type { BoundStatement } from './statement.ts';

/** Called when a statement is sent. The function that it returns is called at its end, with the error or null. */
export type TraceStatement = (statement: Pick<BoundStatement, 'name' | 'text'>) => (error: unknown) => void;

/**
 * Sends statements together and returns all of their rows. Each of them has the time limit, which begins with the answer
 * to the one before it. Throws the first error: after it, PostgreSQL refuses the rest of the transaction. It is a
 * `DatabaseError` if the server has refused the statement; in every other case of failure it is a `NoAnswer`, and the
 * connection is closed.
 */
export async function sendStatements<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  statements: readonly BoundStatement[],
  answerMs: number,
  traceStatement: TraceStatement | null,
): Promise<Row[]> {
  const sendOne = (statement: BoundStatement) => {
    const values = [...statement.values];
    const ended = traceStatement?.(statement);
    const answer = client.query<Row>({ ...statement, values });
    // Without a handler, an answer that fails before it is awaited would end the process.
    answer.catch(() => undefined);
    return { answer, values, ended };
  };
  const sent = sendTogether(client, () => statements.map(sendOne));
  const rows: Row[] = [];
  const failures: unknown[] = [];
  for (const { answer, values, ended } of sent) {
    try {
      for (const row of await rowsOf(client, answer, answerMs)) rows.push(row);
      ended?.(null);
      // V8 keeps ended queries of `pg` until the next collection of the whole heap, with the parameters of a large
      // record. A query that failed may still be sent, so it keeps them.
      values.length = 0;
    } catch (error) {
      ended?.(error);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return rows;
}

async function rowsOf<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  answer: Promise<pg.QueryResult<Row>>,
  answerMs: number,
): Promise<Row[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = () => new NoAnswer(new Error('the database did not answer in time'), { timedOut: true });
    timer = setTimeout(() => reject(error()), answerMs);
  });
  try {
    // `pg` returns an array of results for a text with several statements.
    const results = [await Promise.race([answer, late])].flat();
    if (!results.every(isComplete)) throw new NoAnswer(new Error('the answer of the database is incomplete'));
    return results.flatMap(({ rows }) => rows);
  } catch (error) {
    const failure = statementError(error);
    // The driver would wait for the answer, and would send what it has not sent yet.
    if (failure instanceof NoAnswer) closeAtOnce(client);
    throw failure;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns true if the server has confirmed the end of the statement, and the number of its rows. */
function isComplete({ command, fields, rowCount, rows }: pg.QueryResult): boolean {
  const returnsRows = fields.length > 0 && rowCount !== null;
  return command !== null && (!returnsRows || rows.length === rowCount);
}
