import type { JournalRow, Page } from '@anagrafe/client';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useAnagrafe, usePatientAnagrafe } from './anagrafe.ts';
import { findJournalSpan, type JournalSpan } from './journal-span.ts';
import { type Place, usePaged } from './paged.ts';
import { useLive } from './presence.ts';

const key = ['audit'];

/** A page of the journal, the newest row first. */
export function useJournal(place: Place) {
  const { admin } = useAnagrafe();
  const known = useRef(0);
  return usePaged(
    [...key, 'all'],
    place,
    async ({ page, pageSize }, signal): Promise<Page<JournalRow, JournalSpan>> => {
      const span = await findJournalSpan(admin, signal, known.current);
      known.current = span.last;
      const totalCount = span.last - span.first + 1;
      const last = span.last - (page - 1) * pageSize;
      const after = Math.max(span.first - 1, last - pageSize);
      const rows = admin.audit.rows({ pageSize: Math.max(1, last - after), signal });
      const records = last > after ? [...(await rows.page(after)).records].reverse() : [];
      const totalPages = Math.ceil(totalCount / pageSize);
      return { totalCount, totalPages, page, count: records.length, records, record: span };
    },
    useLive(10_000),
  );
}

/** What was done to one principal, in order, read on as far as one likes. */
export function usePrincipalRows(principal: number) {
  const { admin } = useAnagrafe();
  return useInfiniteQuery({
    queryKey: [...key, 'of', principal],
    queryFn: ({ pageParam, signal }) => admin.audit.rows({ principal, pageSize: 50, signal }).page(pageParam),
    initialPageParam: null as number | null,
    getNextPageParam: ({ after, more }) => (more ? after : null),
  });
}

/** Whether the journal is as it was written: every row is read. */
export function useVerify() {
  const { admin } = usePatientAnagrafe();
  return useMutation({ mutationFn: () => admin.audit.verify({ timeoutMs: 300_000 }) });
}
