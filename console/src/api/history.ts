import type { JournalRow } from '@anagrafe/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { useLive } from './presence.ts';

export interface History {
  /** The oldest first. */
  readonly rows: readonly JournalRow[];
  readonly after: number | null;
  /** There are newer ones that were not read yet. */
  readonly more: boolean;
}

const nothing: History = { rows: [], after: null, more: true };
const stretch = 1000;
const stretches = 10;

/**
 * What was done to a principal. The journal only grows, so that each reading goes on where the last one ended; where there is very much, it
 * takes more than one.
 */
export function useHistory(principal: number) {
  const { admin } = useAnagrafe();
  const queries = useQueryClient();
  const queryKey = ['history', principal];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const before = queries.getQueryData<History>(queryKey) ?? nothing;
      const rows: JournalRow[] = [];
      let { after } = before;
      let more = true;
      for (let read = 0; more && read < stretches; read++) {
        const page = await admin.audit.rows({ principal, after, pageSize: stretch, signal }).page();
        rows.push(...page.records);
        ({ after, more } = page);
      }
      if (rows.length === 0 && before !== nothing) return before;
      return { rows: [...before.rows, ...rows], after, more };
    },
    // A row is seen once it has its place, up to a second after what was done.
    refetchInterval: useLive(3_000),
    structuralSharing: false,
  });
}
