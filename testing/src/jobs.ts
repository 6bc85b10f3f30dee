import type { Connection } from '../../server/src/db/database.ts';
import type { jobFields } from '../../server/src/jobs/jobs.routes.ts';
import type { Tuple } from '../../server/src/records/read/tuple.ts';
import type { Answer, TestService } from './service.ts';
import { until } from './until.ts';

type Fields = ReturnType<typeof jobFields>;
type Moments = 'SubmittedAt' | 'StartedAt' | 'EndedAt' | 'EstimatedEnd';
/** A job as the API returns it in JSON, with dates as ISO 8601 strings. */
export type Job = { [Name in keyof Fields]: Name extends Moments ? string | null : Fields[Name] };

type Headers = Record<string, string>;

/** Reads the job from an answer, without `Positions`, which only an answer with tuples has. */
export function jobOf({ body }: Answer<unknown>): Job {
  const { Positions: _, ...job } = (body.result?.record ?? {}) as Job & { Positions?: number[] };
  return job;
}

/** Reads the zero-based index in the request of each tuple in an answer. */
export function positionsOf({ body }: Answer<unknown>): number[] | undefined {
  return (body.result?.record as { Positions?: number[] } | null)?.Positions;
}

/** Sends records with `Prefer: respond-async`. */
export function sendJob(
  service: TestService,
  path: string,
  records: unknown,
  headers: Headers = {},
): Promise<Answer<Tuple>> {
  return service.call(path, records, { headers: { prefer: 'respond-async', ...headers } });
}

/** Submits records as a job and returns its ID. */
export async function submit(
  service: TestService,
  path: string,
  records: unknown,
  headers: Headers = {},
): Promise<string> {
  const answer = await sendJob(service, path, records, headers);
  if (answer.status !== 202) throw new Error(`no job was taken: ${answer.text}`);
  return jobOf(answer).ID;
}

/** Calls `GET jobs/{path}`; `path` is the job ID with an optional subpath and query. */
export function readJob<Item = Tuple>(
  service: TestService,
  path: string,
  headers: Headers = {},
): Promise<Answer<Item>> {
  return service.call<Item>(`jobs/${path}`, undefined, { method: 'GET', headers });
}

/** Waits until the job has ended, or cannot be read, and returns the answer with its first 1,000 tuples. */
export async function finished(
  service: TestService,
  id: string,
  headers: Headers = {},
): Promise<Answer<Tuple>> {
  const read = () => readJob(service, `${id}?pageSize=1000`, headers);
  let answer = await read();
  await until(
    async () => {
      answer = await read();
      return answer.status !== 200 || jobOf(answer).EndedAt !== null;
    },
    () => `the end of the job ${answer.text.slice(0, 1000)}`,
  );
  return answer;
}

/** Submits a job, waits for its end and returns its first 1,000 tuples. */
export async function done(service: TestService, path: string, records: unknown): Promise<Tuple[]> {
  const { body } = await finished(service, await submit(service, path, records));
  return body.result?.records ?? [];
}

export interface Held {
  readonly connection: Connection;
  /** Waits until at least this many writes of the service wait for the lock. */
  blocked(writes: number): Promise<void>;
}

const waitingWrites =
  'select distinct pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';

/** Holds a database lock, which blocks writes of the service, until `work` has settled. */
export function holding<Result>(
  service: Pick<TestService, 'database'>,
  [sql, ...values]: readonly [sql: string, ...values: unknown[]],
  work: (held: Held) => Promise<Result>,
): Promise<Result> {
  return service.database.transaction(
    async (connection) => {
      await connection.query(sql, values);
      return work({
        connection,
        async blocked(writes) {
          let waiting = 0;
          await until(
            async () => {
              waiting = (await connection.query(waitingWrites)).length;
              return waiting >= writes;
            },
            () => `${writes} blocked writes; ${waiting} are blocked`,
          );
        },
      });
    },
    // On a slow machine the test may leave the transaction idle for longer than the usual limit.
    { patient: true },
  );
}

/** Locks for `holding`: they block writes to the given principals, or to all of them, and block no reads. */
export const principalLock = (...ids: number[]) =>
  ['select from anagrafe.principals where id = any($1) for update', ids] as const;
export const principalsLock = ['lock table anagrafe.principals in share mode'] as const;

/** A valid registration that the service need not hash, because it has a `PasswordHash`. */
export function importedUser(Username: string, more: Record<string, unknown> = {}) {
  return { Username, PasswordHash: importedHash, ...more };
}

/** A hash of the password "correct horse battery". */
export const importedHash =
  '$argon2id$v=19$m=4096,t=1,p=1$NpiOLOF+z0NaZq4oh/1jGA$UkvAoo/+3B2vvo2RrEYsIhBYPPlGh6h0A72kF58LaAs';
