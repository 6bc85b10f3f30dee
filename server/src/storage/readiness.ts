import type { Database } from './database.ts';
import { ReadOnlyServer, readOnlyTransaction } from './failures.ts';

const answerMs = 2000;
/** However often it is asked, the database is asked this seldom. */
const freshMs = 500;
/** While it is silent, it is asked this seldom: each statement keeps a connection until it is given up. */
const silentMs = 5000;

/**
 * Ready while the database commits writes, and no stop is under way. It asks over the connections that calls use: what
 * keeps a call from committing keeps the service from being ready.
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
      if (latest && ageMs <= (latest.pending ? silentMs : freshMs)) return latest.answer;
      return ask();
    },
    stopping() {
      stopping = true;
    },
  };
}

/** Commits a transaction that writes nothing but a message to the log: it waits for synchronous standbys as every write. */
async function commit(database: Database): Promise<string | null> {
  try {
    await database.query(
      `with refused_where_read_only as (delete from anagrafe.tallies where false)
       select pg_logical_emit_message(true, 'anagrafe', 'ready')`,
    );
    return null;
  } catch (error) {
    const readOnly =
      error instanceof ReadOnlyServer || (error as { code?: string }).code === readOnlyTransaction;
    return readOnly ? 'The database is a standby and takes no writes.' : silence;
  }
}

const silence = 'The database does not answer.';

async function withinTime(answer: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, answerMs, silence);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
