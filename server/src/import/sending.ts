import { createHash } from 'node:crypto';
import { ApiError, type Job } from '@anagrafe/client';
import {
  aboutRow,
  failedOf,
  inParts,
  insertPrincipals,
  type Line,
  type RowFaults,
  recordsOf,
  type Sent,
  type SentJob,
  UnsettledError,
} from '@anagrafe/client/import';
import type { SheetItem } from '@anagrafe/client/sheet';
import type { ImportProgress } from './progress-file.ts';
import { ImportError } from './task.ts';
import type { Passwords, PreparedBatch } from './users.ts';

interface NamedJob extends SentJob {
  readonly name: string;
}

/** Submits a batch as jobs. The idempotency keys identify jobs that an earlier run has submitted. */
export async function send(
  { items, complete, passwords, faults }: PreparedBatch,
  progress: ImportProgress,
  line: Line,
): Promise<SentBatch> {
  await progress.keepSending(items.at(-1)?.end.byte ?? 0);
  const records = recordsOf(complete);
  // Rows whose principals could not be inserted are sent too: a batch that is sent again must have the same content.
  const known = await insertPrincipals(records, line).catch((error) => {
    if (!(error instanceof UnsettledError)) throw error;
    throw new ImportError(
      `A principal could not be inserted: ${error.message} Run the same command again to go on.`,
    );
  });
  const unsent = new Map([...faults, ...records.faulty]);
  const jobs: NamedJob[] = [];
  await submit('insert', records.insert);
  await submit('update', records.update);
  return { items, passwords, unsent, known, jobs };

  async function submit(operation: 'insert' | 'update', sent: readonly Sent<unknown>[]): Promise<void> {
    const parts = await inParts(sent, (some) => submitOnce(operation, some, progress, line));
    for (const { items: some, answer, refusal } of parts) {
      if (answer) jobs.push({ ...answer, sent: some });
      else for (const { item } of some) unsent.set(item.row, [aboutRow(refusal)]);
    }
  }
}

async function submitOnce(
  operation: 'insert' | 'update',
  sent: readonly Sent<unknown>[],
  progress: ImportProgress,
  { anagrafe, signal }: Line,
): Promise<Omit<NamedJob, 'sent'>> {
  const name = `${operation}-${sent[0]?.item.row}-${sent.length}`;
  const known = progress.jobOf(name);
  if (known !== undefined) return { name, id: known };
  const records = sent.map(({ record }) => record) as never[];
  const key = `import-${progress.run}-${name}`;
  const submit = (idempotencyKey: string) =>
    anagrafe.jobs.submit(operation, records, { idempotencyKey, signal });
  // A reset looks up user IDs. Users added or removed since an earlier run change the body, which needs another key.
  const { ID: id } = await submit(key).catch((error) => {
    if (error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_REUSED')
      return submit(`${key}-${digestOf(records)}`);
    throw error;
  });
  await progress.keepJob(name, id);
  return { name, id };
}

function digestOf(records: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(records)).digest('hex').slice(0, 16);
}

/** Waits for the jobs of a batch. Returns the errors of the rows that failed, by row number. */
export async function settle(
  { unsent, known, jobs }: SentBatch,
  line: Line,
  onProgress: (jobs: readonly Job[]) => void,
): Promise<RowFaults> {
  const failed: RowFaults = new Map(unsent);
  const seen: Job[] = [];
  for (const [index, sent] of jobs.entries()) {
    const job = await waitFor(sent.id, line, (current) => {
      seen[index] = current;
      onProgress(seen.filter(Boolean));
    });
    if (job.RecordsFailed === 0) continue;
    for (const [row, faults] of await failedOf(sent, known, line)) failed.set(row, faults);
  }
  return failed;
}

async function waitFor(id: string, { anagrafe, signal }: Line, onProgress: (job: Job) => void): Promise<Job> {
  return anagrafe.jobs.wait(id, { signal, pollMs: 500, onProgress }).catch((error) => {
    if (!(error instanceof ApiError) || error.code !== 'JOB_NOT_FOUND') throw error;
    throw new ImportError(
      `The service does not know job ${id} any more, which has a part of the file: it was kept long enough, or its data is other data. ` +
        'Look what is there, then begin anew with --restart.',
    );
  });
}

/** A batch that the service has accepted. */
export interface SentBatch {
  /** All rows of the batch, including those not sent. */
  readonly items: readonly SheetItem[];
  readonly passwords: Passwords;
  /** Errors of the rows that were not sent. */
  readonly unsent: RowFaults;
  /** Errors found before sending. They replace the less specific errors of the failed records. */
  readonly known: RowFaults;
  readonly jobs: readonly NamedJob[];
}
