import type { Job } from '@anagrafe/client';
import {
  type ImportConnection,
  type ImportRow,
  type RowErrors,
  readJobs,
  readRowErrors,
  type SubmittedJob,
  submitRows,
  submitWithKey,
} from '@anagrafe/importer';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { usePollInterval } from '../../ui/time.tsx';
import { usePatientAnagrafe } from '../session/api-client.ts';
import { retryAfterSignIn } from '../session/retry-after-sign-in.ts';
import type { GeneratedPasswords } from './generated-passwords.ts';
import { type Plan, readPlanErrors, submitPlan } from './plan-rows.ts';

export interface Sending {
  /** Prefix of the idempotency keys. A retry with the same name does not apply a record twice. */
  readonly name: string;
  readonly rows: readonly ImportRow[];
  /** The numbers of the rows that change nothing, because all of their values are stored already. */
  readonly unchanged: ReadonlySet<number>;
  /** The generated passwords of the rows whose users are registered. */
  readonly passwords: GeneratedPasswords;
  /** The plan that was confirmed; null if the import only creates. */
  readonly plan: Plan | null;
}

/** Rows that the service accepted as jobs. The jobs run even if the console is closed. */
export interface SentRows extends Sending {
  /** The jobs so far. Rows that were refused because of other rows are sent again as further jobs. */
  readonly jobs: () => readonly SubmittedJob[];
  /** Returns the errors of the rows that were not applied; null if rows were sent again. Called when all jobs ended. */
  readonly readErrors: (ended: readonly Job[], connection: ImportConnection) => Promise<RowErrors | null>;
}

/**
 * Submits rows as one job per operation, or as several if the service rejects a request as a whole. If the session
 * expires, sending pauses and continues after the same client has signed in again.
 */
export function useSendRows() {
  const anagrafe = usePatientAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (sending: Sending): Promise<SentRows> =>
      retryAfterSignIn(queries, (signal) => send(sending, { anagrafe, signal })),
    // The rows contain passwords, which must not stay in the mutation cache.
    gcTime: 0,
  });
}

async function send(sending: Sending, connection: ImportConnection): Promise<SentRows> {
  const { name, rows, plan } = sending;
  if (plan) {
    const jobs = await submitPlan(plan, name, connection);
    return { ...sending, jobs: () => jobs, readErrors: (ended, using) => readPlanErrors(plan, ended, using) };
  }
  const submitted = await submitRows(rows, connection, submitWithKey(name, connection));
  return {
    ...sending,
    jobs: () => submitted.jobs,
    readErrors: (ended, using) => readRowErrors(submitted, ended, using),
  };
}

/** Polls the jobs of sent rows until all have ended; `errors` of the failed rows is null until then. */
export function useSentProgress(sent: SentRows) {
  const anagrafe = usePatientAnagrafe();
  const live = usePollInterval(1_000);
  return useQuery<{ jobs: readonly Job[]; errors: RowErrors | null }>({
    queryKey: ['import', sent.name],
    queryFn: async ({ signal }) => {
      const connection = { anagrafe, signal };
      const jobs = await readJobs(sent.jobs(), connection);
      if (jobs.some(({ EndedAt }) => EndedAt === null)) return { jobs, errors: null };
      return { jobs, errors: await sent.readErrors(jobs, connection) };
    },
    refetchInterval: ({ state }) => (state.data?.errors ? false : live),
  });
}
