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
 * The service is ready while the database commits writes and the service is not stopping. The check uses the pool of
 * the requests, so that anything that prevents a request from committing fails the check too.
 */
export function openReadiness(database: Database): { check(): Promise<string | null>; stopping(): void } {
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
      const ageMs = latest ? performance.now() - latest.at : Number.POSITIVE_INFINITY;
      if (latest && ageMs <= (latest.pending ? pendingMs : freshMs)) return latest.answer;
      return ask();
    },
    stopping() {
      stopping = true;
    },
  };
}

/** Commits a transaction that writes only a WAL message. The commit waits for synchronous standbys like every write. */
async function commit(database: Database): Promise<string | null> {
  try {
    await database.query(
      `with refused_where_read_only as (delete from anagrafe.row_counts where false)
       select pg_logical_emit_message(true, 'anagrafe', 'ready')`,
    );
    return null;
  } catch (error) {
    const readOnly =
      error instanceof ReadOnlyServer || (error as { code?: string }).code === readOnlyTransaction;
    return readOnly ? 'The database is a standby server and does not accept writes.' : noAnswer;
  }
}

const noAnswer = 'The database does not respond.';

async function withinTime(answer: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, answerMs, noAnswer);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
