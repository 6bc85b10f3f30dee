import { type Job, newIdempotencyKey, type UpsertPlan, type UpsertTuple } from '@anagrafe/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { usePaged } from '../../ui/paging.tsx';
import { usePollInterval } from '../../ui/time.tsx';
import { principalsKey } from '../results/record-mutation.ts';
import { useAnagrafe, usePatientAnagrafe } from '../session/api-client.ts';
import { retryAfterSignIn } from '../session/retry-after-sign-in.ts';

const key = ['runs'];

/** Polls one page of the runs of all clients, newest first. */
export function useRuns() {
  const { admin } = useAnagrafe();
  return usePaged(
    [...key, 'all'],
    ({ page, pageSize }, signal) => admin.runs.list({ pageSize, signal }).page(page),
    { refetchInterval: usePollInterval(5_000) },
  );
}

/** Reads a run with one page of its calls and jobs, and polls until it has ended. */
export function useRun(id: string) {
  const { admin } = useAnagrafe();
  const live = usePollInterval(2_000);
  return usePaged([...key, id], (place, signal) => admin.runs.get(id, { ...place, signal }), {
    refetchInterval: (page) => (page?.record.EndedAt ? false : live),
  });
}

/** The planned effects of an undo. */
export interface UndoPlan {
  readonly counts: UpsertPlan;
  readonly tuples: readonly UpsertTuple[];
  /** The key of the call that applies the plan. A retry sends it again, so that the undo is applied once. */
  readonly idempotencyKey: string;
}

export function useUndoPlan(id: string) {
  const { admin } = usePatientAnagrafe();
  return useMutation({
    gcTime: 0,
    mutationFn: async (): Promise<UndoPlan> => {
      // One request for all tuples: pages could be parts of different plans.
      const { record, records } = await admin.runs.plan(id, { changed: true });
      return { counts: record, tuples: records, idempotencyKey: newIdempotencyKey() };
    },
  });
}

/** Applies exactly the plan as a job and waits for its end. `job` is the latest state of the job. */
export function useUndo(id: string) {
  const { admin, jobs } = usePatientAnagrafe();
  const queries = useQueryClient();
  const [job, setJob] = useState<Job | null>(null);
  const mutation = useMutation({
    mutationFn: ({ counts, idempotencyKey }: UndoPlan) =>
      retryAfterSignIn(queries, async (signal) => {
        const { ID } = await admin.runs.undo(id, { ifMatch: counts.Plan, idempotencyKey, signal });
        return jobs.wait(ID, { signal, onProgress: setJob });
      }),
    onSettled: () => {
      for (const queryKey of [key, principalsKey]) void queries.invalidateQueries({ queryKey });
    },
  });
  return { ...mutation, job };
}
