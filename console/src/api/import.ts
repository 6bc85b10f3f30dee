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
import { doAgain } from './again.ts';
import { usePatientAnagrafe } from './anagrafe.ts';
import { useLive } from './presence.ts';

/** Rows that are on their way to a service. */
export interface Sending {
  /** Of this attempt: what is sent again under the same name is not done twice. */
  readonly name: string;
  readonly items: readonly SheetItem[];
}

/** Rows that the service has taken. It goes on with them by itself. */
export interface SentRows {
  readonly rows: number;
  readonly jobs: readonly SentJob[];
  /** Rows that it did not take, and why. */
  readonly unsent: RowFaults;
  /** What is known of rows that were sent, and says more than what becomes of their records. */
  readonly known: RowFaults;
}

/** How far rows have come; `failed` once all of them have their outcome. */
export interface SentProgress {
  readonly jobs: readonly Job[];
  readonly failed: RowFaults | null;
}

/** What would become of rows. */
export interface TriedRows {
  readonly faults: RowFaults;
  /** For how many passwords would be hashed. */
  readonly seconds: number;
  /** What they say of principals that are not there yet. */
  readonly described: Principals;
}

/** Tries rows, all of them together. Others of their file may have `described` principals for them. */
export async function tryAll(
  items: readonly SheetItem[],
  anagrafe: Anagrafe,
  described: Principals,
): Promise<TriedRows> {
  const foreseen = new Foreseen(described);
  const { faults, estimates } = await tryRows(items, { anagrafe }, foreseen);
  const seconds = estimates.reduce((sum, { EstimatedSeconds }) => sum + EstimatedSeconds, 0);
  return { faults, seconds, described: foreseen.described };
}

/** Has rows taken as jobs, one for each kind of record unless they are too large. A session that ends holds it up, and no more. */
export function useSendRows() {
  const anagrafe = usePatientAnagrafe();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (sending: Sending) => doAgain(queries, (signal) => send(sending, { anagrafe, signal })),
    // What was sent has passwords in it, and is not kept.
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
    const parts = await inParts(all, (some) =>
      line.anagrafe.jobs.submit(operation, some.map(({ record }) => record) as never[], {
        idempotencyKey: `${name}-${operation}-${some[0]?.item.row}-${some.length}`,
        signal: line.signal,
      }),
    );
    for (const { items: sent, answer, refusal } of parts) {
      if (answer) jobs.push({ id: answer.ID, sent });
      else for (const { item } of sent) unsent.set(item.row, [aboutRow(refusal)]);
    }
  }
}

/** Follows rows until each of them has its outcome. */
export function useSentProgress({ jobs, unsent, known }: SentRows) {
  const anagrafe = usePatientAnagrafe();
  const live = useLive(1_000);
  return useQuery<SentProgress>({
    queryKey: ['import', ...jobs.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const now = await Promise.all(
        jobs.map(async ({ id }) => (await anagrafe.jobs.get(id, { pageSize: 1, signal })).record),
      );
      if (now.some(({ EndedAt }) => EndedAt === null)) return { jobs: now, failed: null };
      const failed: RowFaults = new Map(unsent);
      for (const job of jobs) {
        for (const [row, why] of await failedOf(job, known, { anagrafe, signal })) failed.set(row, why);
      }
      return { jobs: now, failed };
    },
    refetchInterval: ({ state }) => (state.data?.failed ? false : live),
  });
}
