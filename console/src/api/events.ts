import { useInfiniteQuery } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { findJournalSpan } from './journal-span.ts';

const pageSize = 100;
/** An entry of the journal makes one event for each of its users. */
const entriesBack = 50;

/** What happened, in order: from the beginning, or what happened last; read on as far as one likes. */
export function useEvents(start: 'latest' | 'beginning') {
  const anagrafe = useAnagrafe();
  return useInfiniteQuery({
    queryKey: ['events', start],
    queryFn: async ({ pageParam, signal }) => {
      const events = anagrafe.events({ pageSize, signal });
      if (pageParam !== null || start === 'beginning') return events.page(pageParam);
      // The id of an event begins with the position of its entry.
      const { last } = await findJournalSpan(anagrafe.admin, signal);
      return events.page(`${Math.max(0, last - entriesBack)}.999999999`);
    },
    initialPageParam: null as string | null,
    // At the end one may ask again: something may have happened meanwhile.
    getNextPageParam: ({ after }) => after,
  });
}
