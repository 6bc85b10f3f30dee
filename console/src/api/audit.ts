import type { JournalRow } from '@anagrafe/client';
import { useMutation } from '@tanstack/react-query';
import { useAnagrafe, usePatientAnagrafe } from './anagrafe.ts';
import { type NewestFirst, useNewestFirst } from './newest-first.ts';

/** Which rows of the journal. */
interface JournalWish {
  /** Only what was done to this one. */
  readonly principal: number | null;
  /** Whether rows of those who have only read are among them. */
  readonly reads: boolean;
  /** The first row is the one at this position, or the one before it; null for the newest one. */
  readonly position?: number | null;
  readonly pageSize: number;
}

/** The journal, the newest row first. */
export function useJournal({
  principal,
  reads,
  position = null,
  pageSize,
}: JournalWish): NewestFirst<JournalRow> {
  const { admin } = useAnagrafe();
  return useNewestFirst<JournalRow, number>({
    key: ['audit', principal, reads],
    pageSize,
    start: position === null ? null : position + 1,
    read: async ({ order, after, count, signal }) => {
      const wanted = { principal: principal ?? undefined, reads, order, pageSize: count, signal };
      const page = await admin.audit.rows(wanted).page(after);
      const { records } = page;
      return { ...page, first: records[0]?.Position ?? null, reachedAt: records.at(-1)?.At ?? null };
    },
  });
}

/** Whether the journal is as it was written: every row is read. */
export function useVerify() {
  const { admin } = usePatientAnagrafe();
  return useMutation({ mutationFn: () => admin.audit.verify({ timeoutMs: 300_000 }) });
}
