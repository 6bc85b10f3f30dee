import type { Database } from './database.ts';
import { ReadOnlyServer, readOnlyTransaction } from './errors.ts';

export interface Readiness {
  /** Returns null if requests can be served, otherwise the reason in one sentence. */
  check(): Promise<string | null>;
}

/** Maximum wait for the database in milliseconds, after which the service is not ready. */
const answerMs = 2000;
/** Cache time of an answer in milliseconds, independent of the rate of the checks. */
const freshMs = 500;
/** Minimum time in milliseconds between checks while one is pending: each occupies a connection until it times out. */
const pendingMs = 5000;

/**
 * The service is ready while the database commits writes, its disk is not full and the service is not stopping. The
 * check uses the pool of the requests, so that anything that prevents a request from committing fails the check too.
 * `problem` returns another reason, or null.
 */
export function openReadiness(
  database: Database,
  problem: () => string | null = () => null,
): { check(): Promise<string | null>; stopping(): void } {
  let stopping = false;
  let latest: { at: number; answer: Promise<string | null>; pending: boolean } | undefined;

  function ask(): Promise<string | null> {
    const asked = commit(database);
    const current = { at: performance.now(), answer: withinTime(asked), pending: true };
    void asked.finally(() => {
      current.pending = false;
    });
    latest = current;
    return current.answer;
  }

  return {
    async check() {
      if (stopping) return 'The service is stopping.';
      const known = problem();
      if (known) return known;
      const ageMs = latest ? performance.now() - latest.at : Number.POSITIVE_INFINITY;
      if (latest && ageMs <= (latest.pending ? pendingMs : freshMs)) return latest.answer;
      return ask();
    },
    stopping() {
      stopping = true;
    },
  };
}

/**
 * Commits a transaction that writes a WAL message, and a temporary file of 256 kB beside the tables of the database. A
 * read-only server refuses the deletion, which deletes nothing. The commit waits for synchronous standbys like every write. The file needs free space on the disk like a growing table:
 * with the least `work_mem`, PostgreSQL does not keep the rows in memory. It is deleted at the end of the statement.
 */
const probe = `
  select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true);
  delete from anagrafe.row_counts where false;
  select pg_logical_emit_message(true, 'anagrafe', 'ready');
  with file as materialized (select repeat(' ', 8192) from generate_series(1, 32))
  select count(*) from file`;

async function commit(database: Database): Promise<string | null> {
  try {
    await database.query(probe);
    return null;
  } catch (error) {
    const { code } = error as { code?: string };
    if (error instanceof ReadOnlyServer || code === readOnlyTransaction)
      return 'The database is a standby server and does not accept writes.';
    if (code === diskFull) return 'The disk of the database is full.';
    return code === noTemporaryFiles ? null : noAnswer;
  }
}

const diskFull = '53100';
/** SQLSTATE if `temp_file_limit` of the server forbids the file, which calls do not need. */
const noTemporaryFiles = '53400';
const noAnswer = 'The database does not respond.';

async function withinTime(answer: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, answerMs, noAnswer);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
