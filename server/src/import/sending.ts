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
import type { Memo } from './memo.ts';
import { ImportError } from './task.ts';
import type { Passwords, Ready } from './users.ts';

/** A batch that the service has taken. */
export interface SentBatch {
  /** All of its rows. */
  readonly items: readonly SheetItem[];
  readonly passwords: Passwords;
  /** Rows that were not sent, and why. */
  readonly unsent: RowFaults;
  /** What is known of rows that were sent, and says more than what becomes of their records. */
  readonly known: RowFaults;
  readonly jobs: readonly NamedJob[];
}

interface NamedJob extends SentJob {
  readonly name: string;
}

/** Has a batch taken as jobs. One that was taken before is found again, and not done twice. */
export async function send(
  { items, complete, passwords, faults }: Ready,
  memo: Memo,
  line: Line,
): Promise<SentBatch> {
  await memo.keepSending(items.at(-1)?.end.byte ?? 0);
  const records = recordsOf(complete);
  // Rows whose principals could not be inserted are sent all the same: a batch is always the same.
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
    const parts = await inParts(sent, (some) => submitOnce(operation, some, memo, line));
    for (const { items: some, answer, refusal } of parts) {
      if (answer) jobs.push({ ...answer, sent: some });
      else for (const { item } of some) unsent.set(item.row, [aboutRow(refusal)]);
    }
  }
}

async function submitOnce(
  operation: 'insert' | 'update',
  sent: readonly Sent<unknown>[],
  memo: Memo,
  { anagrafe, signal }: Line,
): Promise<Omit<NamedJob, 'sent'>> {
  const name = `${operation}-${sent[0]?.item.row}-${sent.length}`;
  const known = memo.jobOf(name);
  if (known !== undefined) return { name, id: known };
  const records = sent.map(({ record }) => record) as never[];
  const key = `import-${memo.run}-${name}`;
  const submit = (idempotencyKey: string) =>
    anagrafe.jobs.submit(operation, records, { idempotencyKey, signal });
  // Where users are looked up first, someone may have come or gone since the call was sent before.
  const { ID: id } = await submit(key).catch((error) => {
    if (error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_REUSED')
      return submit(`${key}-${digestOf(records)}`);
    throw error;
  });
  await memo.keepJob(name, id);
  return { name, id };
}

function digestOf(records: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(records)).digest('hex').slice(0, 16);
}

/** Waits until every row has its outcome. Returns what is wrong with those that failed. */
export async function settle(
  { unsent, known, jobs }: SentBatch,
  line: Line,
  onProgress: (jobs: readonly Job[]) => void,
): Promise<RowFaults> {
  const failed: RowFaults = new Map(unsent);
  const seen: Job[] = [];
  for (const [place, sent] of jobs.entries()) {
    const job = await waitFor(sent.id, line, (now) => {
      seen[place] = now;
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
