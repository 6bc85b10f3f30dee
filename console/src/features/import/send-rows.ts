import { ApiError, type Job } from '@anagrafe/client';
import {
  type GeneratedPasswords,
  type ImportConnection,
  type ImportRow,
  type InviteChannel,
  JobSender,
  type RowErrors,
  sendRows,
  submitWithKey,
  type WriteRules,
} from '@anagrafe/importer';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { usePatientAnagrafe } from '../session/api-client.ts';
import { retryAfterSignIn } from '../session/retry-after-sign-in.ts';
import { applyRows, type Plan } from './plan-rows.ts';

/** Returns true if a plan does not hold any more, and must be computed and confirmed again. */
export function isOutdated(error: Error): boolean {
  return error instanceof ApiError && error.code === 'PLAN_OUTDATED';
}

export interface Sending {
  /** The run that all calls of the import are parts of. */
  readonly run: string;
  readonly rules: WriteRules;
  /** Prefix of the idempotency keys. A retry with the same name does not apply a record twice. */
  readonly name: string;
  readonly rows: readonly ImportRow[];
  /** The numbers of the rows that change nothing, because all of their values are stored already. */
  readonly unchanged: ReadonlySet<number>;
  /** The generated passwords of the rows whose users are registered. */
  readonly passwords: GeneratedPasswords;
  /** How new users without a password are invited; null if they are not. */
  readonly invites: InviteChannel | null;
  /** The plan that was confirmed; null if the import only creates. */
  readonly plan: Plan | null;
}

/** Rows that have a result: each is applied, unless it has errors. */
export interface SentRows extends Sending {
  readonly errors: RowErrors;
}

/**
 * Sends rows as jobs and waits for their results; `jobs` has the jobs so far, which run even if the console is closed. If
 * the session expires, sending pauses and continues after the same client has signed in again.
 */
export function useSendRows() {
  const anagrafe = usePatientAnagrafe();
  const queries = useQueryClient();
  const [jobs, setJobs] = useState<ReadonlyMap<string, Job>>(new Map());
  const mutation = useMutation({
    mutationFn: (sending: Sending): Promise<SentRows> =>
      retryAfterSignIn(queries, (signal) => {
        setJobs(new Map());
        return send(sending, { anagrafe, signal }, (job) =>
          setJobs((before) => new Map(before).set(job.ID, job)),
        );
      }),
    // The rows contain passwords, which must not stay in the mutation cache.
    gcTime: 0,
  });
  return { ...mutation, jobs: [...jobs.values()] };
}

async function send(
  sending: Sending,
  connection: ImportConnection,
  onProgress: (job: Job) => void,
): Promise<SentRows> {
  const { name, run, rules, rows, plan } = sending;
  const { signal } = connection;
  const anagrafe = connection.anagrafe.ofRun(run);
  const wait = (id: string, using = signal) => anagrafe.jobs.wait(id, { signal: using, onProgress });
  if (plan) return { ...sending, errors: await applyRows(plan, name, { anagrafe, signal }, wait) };
  const sender = new JobSender({
    anagrafe,
    submit: submitWithKey(name, { anagrafe }, rules),
    wait: ({ id }, connection) => wait(id, connection.signal),
  });
  return { ...sending, errors: await sendRows(rows, { anagrafe, signal, rules, send: sender.send }) };
}
