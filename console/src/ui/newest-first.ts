import type { CursorPage } from '@anagrafe/client';
import {
  type InfiniteData,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { usePollInterval } from './time.tsx';

/** One keyset page of a sequence. A client-side filter may leave fewer records than were read. */
export interface KeysetPage<Item, Place> extends CursorPage<Item, Place> {
  /** The position of the first entry that was read, even if the filter removed it; null if there was none. */
  readonly first: Place | null;
  /** The ISO 8601 time of the last entry that was read; null if there was none. */
  readonly reachedAt: string | null;
}

export interface Asked<Place> {
  readonly order: 'oldest' | 'newest';
  /** The position after which to read; null to begin at the end that `order` names. */
  readonly after: Place | null;
  readonly count: number;
  readonly signal: AbortSignal;
}

interface Options<Item, Place> {
  readonly key: QueryKey;
  readonly read: (asked: Asked<Place>) => Promise<KeysetPage<Item, Place>>;
  readonly pageSize: number;
  /** The position after which to begin. Without it the list begins at the newest record and polls for new ones. */
  readonly start?: Place | null;
}

export type Older = ReturnType<typeof useNewestFirst>['older'];

type Pages<Item, Place> = InfiniteData<KeysetPage<Item, Place>, { after: Place | null }>;

interface Newer<Item, Place> {
  readonly records: readonly Item[];
  readonly after: Place | null;
  readonly isBehind: boolean;
}

/**
 * The maximum number of new records that polling adds. Beyond it the list reloads from the newest record, so that it
 * does not grow without limit. If older pages are loaded, the list sets `isBehind` instead and keeps them.
 */
const maxNewer = 500;
/** The polling interval. A change appears in the audit log within a second. */
const pollMs = 3_000;
/** The polling interval for `changedMs` after a change on this page, so that its row appears as soon as it exists. */
const pollChangedMs = 250;
const changedMs = 3_000;

/** Reads a sequence from the newest record: older pages on request, new records by polling while the user is active. */
export function useNewestFirst<Item, Place>(options: Options<Item, Place>) {
  const { key, read, pageSize, start = null } = options;
  const queries = useQueryClient();
  const olderKey = [...key, 'older', start];
  const older = useInfiniteQuery({
    queryKey: olderKey,
    queryFn: ({ pageParam: { after }, signal }) => read({ order: 'newest', after, count: pageSize, signal }),
    initialPageParam: { after: start },
    getNextPageParam: ({ after, more }) => (more ? { after } : null),
    // Entries of the sequence are immutable.
    staleTime: Number.POSITIVE_INFINITY,
  });

  const first = older.data?.pages[0]?.first ?? null;
  const newerKey = [...key, 'newer', start, first];
  const interval = usePollInterval(useHasChanged() ? pollChangedMs : pollMs);
  const newer = useQuery({
    queryKey: newerKey,
    queryFn: async ({ signal }): Promise<Newer<Item, Place>> => {
      const before = queries.getQueryData<Newer<Item, Place>>(newerKey) ?? noneAfter(first);
      const next = await read({ order: 'oldest', after: before.after, count: maxNewer, signal });
      if (next.more || before.records.length + next.records.length > maxNewer) {
        const shown = queries.getQueryData<Pages<Item, Place>>(olderKey)?.pages.length ?? 0;
        if (shown > 1) return { ...before, isBehind: true };
        const page = await read({ order: 'newest', after: null, count: pageSize, signal });
        queries.setQueryData<Pages<Item, Place>>(olderKey, { pages: [page], pageParams: [{ after: null }] });
        return before;
      }
      const records = [...next.records.toReversed(), ...before.records];
      return { records, after: next.after, isBehind: false };
    },
    enabled: older.data !== undefined && start === null,
    refetchInterval: ({ state }) => !state.data?.isBehind && interval,
    structuralSharing: false,
  });

  const pages = older.data?.pages;
  return {
    /** Undefined while the first page is loading. */
    rows: pages && [...(newer.data?.records ?? []), ...pages.flatMap(({ records }) => records)],
    error: older.error,
    refetch: () => void older.refetch(),
    older: {
      /** The ISO 8601 time of the oldest entry that was read; null if none was read. */
      reachedAt: pages?.at(-1)?.reachedAt ?? null,
      exists: older.hasNextPage,
      wasRequested: (pages?.length ?? 0) > 1,
      isLoading: older.isFetchingNextPage,
      load: () => void older.fetchNextPage(),
      /** More than `maxNewer` new records exist. `reload` loads the newest ones and drops the older pages. */
      isBehind: newer.data?.isBehind ?? false,
      reload: () => void queries.resetQueries({ queryKey: olderKey }),
    },
  };
}

/** Returns true for `changedMs` after each mutation that has succeeded. */
function useHasChanged(): boolean {
  const mutations = useQueryClient().getMutationCache();
  const [hasChanged, setHasChanged] = useState(false);
  useEffect(() => {
    let timer: number | undefined;
    const unsubscribe = mutations.subscribe((event) => {
      if (event.type !== 'updated' || event.action.type !== 'success') return;
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setHasChanged(false), changedMs);
      setHasChanged(true);
    });
    return () => {
      window.clearTimeout(timer);
      unsubscribe();
    };
  }, [mutations]);
  return hasChanged;
}

function noneAfter<Item, Place>(after: Place | null): Newer<Item, Place> {
  return { records: [], after, isBehind: false };
}
