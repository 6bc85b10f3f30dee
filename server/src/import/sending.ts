import type { Anagrafe, Job } from '@anagrafe/client';
import type { SheetItem } from '@anagrafe/client/sheet';
import type { Memo } from './memo.ts';
import { insertMissing } from './principals.ts';
import { type BatchRecords, keyOf, recordsOf, type Sent } from './records.ts';
import { sentencesOf } from './sentences.ts';

/** A service that is spoken to until the signal comes. */
export interface Line {
  readonly anagrafe: Anagrafe;
  readonly signal: AbortSignal;
}

/** What is wrong with rows, in words, by their numbers. */
export type RowFaults = Map<number, readonly string[]>;

/** A batch that the service has taken. */
export interface SentBatch {
  readonly items: readonly SheetItem[];
  readonly faults: RowFaults;
  readonly jobs: readonly SentJob[];
}

interface SentJob {
  readonly key: string;
  readonly id: string;
  readonly sent: readonly Sent<unknown>[];
}

/** Has a batch taken as jobs. One that was taken before is found again, and not done twice. */
export async function send(items: readonly SheetItem[], memo: Memo, line: Line): Promise<SentBatch> {
  const records = recordsOf(items);
  const { insert, update } = records;
  const faults = new Map([...records.faulty, ...(await withoutPrincipal(records, line))]);
  const jobs = [
    await submitOnce('insert', insert, memo, line),
    await submitOnce('update', update, memo, line),
  ].filter((job) => job !== null);
  return { items, faults, jobs };
}

/** The rows whose principals could not be inserted. They are sent all the same: a batch is always the same. */
async function withoutPrincipal({ principals, update }: BatchRecords, line: Line): Promise<RowFaults> {
  const wrong = await insertMissing(principals, line);
  return new Map(
    update.flatMap(({ item, record }) => {
      const why = record.ExternalKey ? wrong.get(record.ExternalKey) : undefined;
      return why ? [[item.row, why] as const] : [];
    }),
  );
}

async function submitOnce<Name extends 'insert' | 'update'>(
  operation: Name,
  sent: BatchRecords[Name],
  memo: Memo,
  { anagrafe, signal }: Line,
): Promise<SentJob | null> {
  const [first] = sent;
  if (!first) return null;
  const records = sent.map(({ record }) => record);
  const key = keyOf(memo.run, first.item.row, operation, records);
  const known = memo.jobOf(key);
  if (known !== undefined) return { key, id: known, sent };
  const { ID: id } = await anagrafe.jobs.submit(operation, records as never, { idempotencyKey: key, signal });
  await memo.keepJob(key, id);
  return { key, id, sent };
}

/** Waits until every row has its outcome. Returns what is wrong with those that failed. */
export async function settle(
  { faults, jobs }: SentBatch,
  { anagrafe, signal }: Line,
  onProgress: (jobs: readonly Job[]) => void,
): Promise<RowFaults> {
  const failed: RowFaults = new Map();
  const seen: Job[] = [];
  for (const [place, { id, sent }] of jobs.entries()) {
    const job = await anagrafe.jobs.wait(id, {
      signal,
      pollMs: 500,
      onProgress(now) {
        seen[place] = now;
        onProgress(seen);
      },
    });
    if (job.RecordsFailed === 0) continue;
    for (const { Position, Faults } of await anagrafe.jobs.failed(id, { signal })) {
      const item = sent[Position]?.item;
      if (item) failed.set(item.row, sentencesOf(Faults, item.kind));
    }
  }
  // What is known of the row itself says more than what became of its record.
  for (const [row, sentences] of faults) failed.set(row, sentences);
  return failed;
}
