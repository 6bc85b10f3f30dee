import type { Database } from './database.ts';

const answerMs = 2000;

/** Ready while the database answers and no stop is under way. */
export function openReadiness(database: Database): { check(): Promise<string | null>; stopping(): void } {
  let stopping = false;
  return {
    async check() {
      if (stopping) return 'The service is stopping.';
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<string>((resolve) => {
        timer = setTimeout(resolve, answerMs, 'The database does not answer.');
      });
      const answer = database.query('select').then(
        () => null,
        () => 'The database does not answer.',
      );
      return Promise.race([answer, late]).finally(() => clearTimeout(timer));
    },
    stopping() {
      stopping = true;
    },
  };
}
