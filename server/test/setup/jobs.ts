import type { jobFields } from '../../src/http/job-fields.ts';
import type { Tuple } from '../../src/http/tuple.ts';
import type { Connection } from '../../src/storage/database.ts';
import type { Answer, TestService } from './service.ts';
import { until } from './until.ts';

type Fields = ReturnType<typeof jobFields>;
type Moments = 'SubmittedAt' | 'StartedAt' | 'EndedAt' | 'EstimatedEnd';
/** A job as it comes over the wire. */
export type Job = { [Name in keyof Fields]: Name extends Moments ? string | null : Fields[Name] };

type Headers = Record<string, string>;

/** The job of an answer, the same whether there are tuples beside it or not. */
export function jobOf({ body }: Answer<unknown>): Job {
  const { Positions: _, ...job } = (body.result?.record ?? {}) as Job & { Positions?: number[] };
  return job;
}

/** Which records of the call the tuples of an answer belong to. */
export function positionsOf({ body }: Answer<unknown>): number[] | undefined {
  return (body.result?.record as { Positions?: number[] } | null)?.Positions;
}

/** Sends records to be taken as a job. */
export function sendJob(
  service: TestService,
  path: string,
  records: unknown,
  headers: Headers = {},
): Promise<Answer<Tuple>> {
  return service.call(path, records, { headers: { prefer: 'respond-async', ...headers } });
}

/** Has records taken as a job, and returns its ID. */
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

/** `GET jobs/{id}`, with what may stand behind it. */
export function readJob<Item = Tuple>(
  service: TestService,
  path: string,
  headers: Headers = {},
): Promise<Answer<Item>> {
  return service.call<Item>(`jobs/${path}`, undefined, { method: 'GET', headers });
}

/** The job once nothing of it is left to do, with its first thousand tuples. */
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

/** Has a job done, and returns its first thousand tuples. */
export async function done(service: TestService, path: string, records: unknown): Promise<Tuple[]> {
  const { body } = await finished(service, await submit(service, path, records));
  return body.result?.records ?? [];
}

export interface Held {
  readonly connection: Connection;
  /** Returns when so many writes of the service have come to where the lock is. */
  blocked(writes: number): Promise<void>;
}

const waitingWrites =
  'select distinct pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';

/** Takes a lock of the database that writes have to wait for, as long as `work` lasts. */
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
    // On a slow machine the test may do other things for longer than a transaction may usually be idle.
    { patient: true },
  );
}

/** Locks that let everything be read and nothing of its kind be written. */
export const principalLock = (...ids: number[]) =>
  ['select from anagrafe.principals where id = any($1) for update', ids] as const;
export const principalsLock = ['lock table anagrafe.principals in share mode'] as const;

/** A registration that has no fault and costs no time: its hash comes with it. */
export function importedUser(Username: string, more: Record<string, unknown> = {}) {
  return { Username, PasswordHash: importedHash, ...more };
}

/** Of "correct horse battery". */
export const importedHash =
  '$argon2id$v=19$m=4096,t=1,p=1$NpiOLOF+z0NaZq4oh/1jGA$UkvAoo/+3B2vvo2RrEYsIhBYPPlGh6h0A72kF58LaAs';
