import type { Database } from './database.ts';

const answerMs = 2000;
/** However often it is asked, the database is asked this seldom. */
const freshMs = 500;

/** Ready while the database answers and takes writes, and no stop is under way. */
export function openReadiness(database: Database): { check(): Promise<string | null>; stopping(): void } {
  let stopping = false;
  let latest: { at: number; answer: Promise<string | null> } | undefined;
  return {
    async check() {
      if (stopping) return 'The service is stopping.';
      if (!latest || performance.now() - latest.at > freshMs) {
        latest = { at: performance.now(), answer: withinTime(ask(database)) };
      }
      return latest.answer;
    },
    stopping() {
      stopping = true;
    },
  };
}

async function ask(database: Database): Promise<string | null> {
  try {
    const [state] = await database.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
    return state?.standby ? 'The database is a standby and takes no writes.' : null;
  } catch {
    return silence;
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
