import type { Anagrafe, Job } from '@anagrafe/client';
import {
  aboutRow,
  Foreseen,
  failedOf,
  inParts,
  insertPrincipals,
  type Line,
  type Principals,
  type RowFaults,
  recordsOf,
  type Sent,
  type SentJob,
  tryRows,
} from '@anagrafe/client/import';
import type { SheetItem } from '@anagrafe/client/sheet';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { usePollInterval } from '../../ui/polling.ts';
import { usePatientAnagrafe } from '../session/api-client.ts';
import { retryAfterSignIn } from '../session/retry-after-sign-in.ts';

/** An attempt to send rows. */
export interface Sending {
  /** Prefix of the idempotency keys. A retry with the same name does not apply a record twice. */
  readonly name: string;
  readonly items: readonly SheetItem[];
}

/** Rows that the service accepted as jobs. The jobs run even if the console is closed. */
export interface SentRows {
  readonly rows: number;
  readonly jobs: readonly SentJob[];
  /** Errors of the rows that the service did not accept; they are in none of the jobs. */
  readonly unsent: RowFaults;
  /** Errors of the rows whose principal could not be inserted; more specific than the errors in the job results. */
  readonly known: RowFaults;
}

/** Progress of sent rows. `failed` is null until all jobs have ended. */
export interface SentProgress {
  readonly jobs: readonly Job[];
  readonly failed: RowFaults | null;
}

/** Result of a dry run. */
export interface DryRunResult {
  readonly faults: RowFaults;
  /** Estimated time in seconds that the service needs to hash the passwords. */
  readonly seconds: number;
  /** The principals that the rows would insert, by external key, including those passed in. */
  readonly described: Principals;
}

/** Sends rows as a dry run. `described` contains the principals that other rows of the file would insert. */
export async function dryRun(
  items: readonly SheetItem[],
  anagrafe: Anagrafe,
  described: Principals,
): Promise<DryRunResult> {
  const foreseen = new Foreseen(described);
  const { faults, estimates } = await tryRows(items, { anagrafe }, foreseen);
  const seconds = estimates.reduce((sum, { EstimatedSeconds }) => sum + EstimatedSeconds, 0);
  return { faults, seconds, described: foreseen.described };
}

/**
 * Submits rows as one job per operation, or as several if the service rejects a request as a whole. If the session
 * expires, sending pauses and continues after the same client has signed in again.
 */
export function useSendRows() {
  const anagrafe = usePatientAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (sending: Sending) =>
      retryAfterSignIn(queries, (signal) => send(sending, { anagrafe, signal })),
    // The rows contain passwords, which must not stay in the mutation cache.
    gcTime: 0,
  });
}

async function send({ name, items }: Sending, line: Line): Promise<SentRows> {
  const records = recordsOf(items);
  const known = await insertPrincipals(records, line);
  const unsent: RowFaults = new Map(records.faulty);
  const jobs: SentJob[] = [];
  await submit('insert', records.insert);
  await submit('update', records.update);
  return { rows: items.length, jobs, unsent, known };

  async function submit(operation: 'insert' | 'update', all: readonly Sent<unknown>[]): Promise<void> {
    const parts = await inParts(all, (part) =>
      line.anagrafe.jobs.submit(operation, part.map(({ record }) => record) as never[], {
        idempotencyKey: `${name}-${operation}-${part[0]?.item.row}-${part.length}`,
        signal: line.signal,
      }),
    );
    for (const { items: sent, answer, refusal } of parts) {
      if (answer) jobs.push({ id: answer.ID, sent });
      else for (const { item } of sent) unsent.set(item.row, [aboutRow(refusal)]);
    }
  }
}

/** Polls the jobs of sent rows until all have ended, then fetches the errors of the failed rows. */
export function useSentProgress({ jobs, unsent, known }: SentRows) {
  const anagrafe = usePatientAnagrafe();
  const live = usePollInterval(1_000);
  return useQuery<SentProgress>({
    queryKey: ['import', ...jobs.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const currentJobs = await Promise.all(
        jobs.map(async ({ id }) => (await anagrafe.jobs.get(id, { pageSize: 1, signal })).record),
      );
      if (currentJobs.some(({ EndedAt }) => EndedAt === null)) return { jobs: currentJobs, failed: null };
      const failed: RowFaults = new Map(unsent);
      for (const job of jobs) {
        for (const [row, errors] of await failedOf(job, known, { anagrafe, signal })) failed.set(row, errors);
      }
      return { jobs: currentJobs, failed };
    },
    refetchInterval: ({ state }) => (state.data?.failed ? false : live),
  });
}
