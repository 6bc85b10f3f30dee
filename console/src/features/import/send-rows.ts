import type { Job } from '@anagrafe/client';
import {
  type ImportRow,
  type RowErrors,
  readJobs,
  readRowErrors,
  type SubmittedRows,
  submitRows,
  submitWithKey,
} from '@anagrafe/importer';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { usePollInterval } from '../../ui/time.tsx';
import { usePatientAnagrafe } from '../session/api-client.ts';
import { retryAfterSignIn } from '../session/retry-after-sign-in.ts';

export interface Sending {
  /** Prefix of the idempotency keys. A retry with the same name does not apply a record twice. */
  readonly name: string;
  readonly rows: readonly ImportRow[];
}

/** Rows that the service accepted as jobs. The jobs run even if the console is closed. */
export interface SentRows extends SubmittedRows {
  readonly name: string;
  /** Number of rows, including those that the service did not accept. */
  readonly rows: number;
}

/**
 * Submits rows as one job per operation, or as several if the service rejects a request as a whole. If the session
 * expires, sending pauses and continues after the same client has signed in again.
 */
export function useSendRows() {
  const anagrafe = usePatientAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, rows }: Sending): Promise<SentRows> =>
      retryAfterSignIn(queries, async (signal) => {
        const connection = { anagrafe, signal };
        const submitted = await submitRows(rows, connection, submitWithKey(name, connection));
        return { ...submitted, name, rows: rows.length };
      }),
    // The rows contain passwords, which must not stay in the mutation cache.
    gcTime: 0,
  });
}

/** Polls the jobs of sent rows until all have ended; `errors` of the failed rows is null until then. */
export function useSentProgress(sent: SentRows) {
  const anagrafe = usePatientAnagrafe();
  const live = usePollInterval(1_000);
  return useQuery<{ jobs: readonly Job[]; errors: RowErrors | null }>({
    // Without the name, two attempts that the service has refused as a whole, and so without jobs, would share a result.
    queryKey: ['import', sent.name, ...sent.jobs.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const connection = { anagrafe, signal };
      const jobs = await readJobs(sent.jobs, connection);
      if (jobs.some(({ EndedAt }) => EndedAt === null)) return { jobs, errors: null };
      return { jobs, errors: await readRowErrors(sent, jobs, connection) };
    },
    refetchInterval: ({ state }) => (state.data?.errors ? false : live),
  });
}
