import type { Stretch } from '@anagrafe/client';
import {
  type InfiniteData,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useLive } from './presence.ts';

/** Some of a sequence, as it was read. */
export interface Passage<Item, Place> extends Stretch<Item, Place> {
  /** The place of the first one that was read, whether it is among the records or not. */
  readonly first: Place | null;
  /** When the last one that was read happened. */
  readonly reachedAt: string | null;
}

export interface Asked<Place> {
  readonly order: 'oldest' | 'newest';
  readonly after: Place | null;
  /** So many at most. */
  readonly count: number;
  readonly signal: AbortSignal;
}

interface Wish<Item, Place> {
  readonly key: QueryKey;
  readonly read: (asked: Asked<Place>) => Promise<Passage<Item, Place>>;
  /** How many more are shown at a time. */
  readonly pageSize: number;
  /** Behind which to begin; without it at the newest one, where new ones are added as they come. */
  readonly start?: Place | null;
}

/** A sequence, the newest first. */
export interface NewestFirst<Item> {
  /** Undefined while the first ones are on their way. */
  readonly records: readonly Item[] | undefined;
  readonly error: Error | null;
  /** How far back it was read. */
  readonly reachedAt: string | null;
  readonly hasOlder: boolean;
  readonly hasAskedOlder: boolean;
  readonly isReading: boolean;
  readonly showOlder: () => void;
  /** More has come than is added: `beginAnew` shows the newest ones, without what is further down. */
  readonly isBehind: boolean;
  readonly beginAnew: () => void;
  readonly refetch: () => void;
}

type Pages<Item, Place> = InfiniteData<Passage<Item, Place>, { after: Place | null }>;

interface Newer<Item, Place> {
  readonly records: readonly Item[];
  readonly after: Place | null;
  readonly isBehind: boolean;
}

/**
 * So many that have come while someone looks are added. With more than that the list begins anew, or it would grow without end; but not
 * under the eyes of someone who has gone further back.
 */
const mostNewer = 500;
/** What is done has its place in the journal within a second. */
const everyMs = 3_000;

/** Reads a sequence from the newest on: older ones when they are asked for, newer ones by itself while someone looks. */
export function useNewestFirst<Item, Place>(wish: Wish<Item, Place>): NewestFirst<Item> {
  const { key, read, pageSize, start = null } = wish;
  const queries = useQueryClient();
  const olderKey = [...key, 'older', start];
  const older = useInfiniteQuery({
    queryKey: olderKey,
    queryFn: ({ pageParam: { after }, signal }) => read({ order: 'newest', after, count: pageSize, signal }),
    initialPageParam: { after: start },
    getNextPageParam: ({ after, more }) => (more ? { after } : null),
    // What happened does not change any more.
    staleTime: Number.POSITIVE_INFINITY,
  });

  const first = older.data?.pages[0]?.first ?? null;
  const newerKey = [...key, 'newer', start, first];
  const interval = useLive(everyMs);
  const newer = useQuery({
    queryKey: newerKey,
    queryFn: async ({ signal }): Promise<Newer<Item, Place>> => {
      const before = queries.getQueryData<Newer<Item, Place>>(newerKey) ?? nothingAfter(first);
      const next = await read({ order: 'oldest', after: before.after, count: mostNewer, signal });
      if (next.more || before.records.length + next.records.length > mostNewer) {
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
    records: pages && [...(newer.data?.records ?? []), ...pages.flatMap(({ records }) => records)],
    error: older.error,
    reachedAt: pages?.at(-1)?.reachedAt ?? null,
    hasOlder: older.hasNextPage,
    hasAskedOlder: (pages?.length ?? 0) > 1,
    isReading: older.isFetchingNextPage,
    showOlder: () => void older.fetchNextPage(),
    isBehind: newer.data?.isBehind ?? false,
    beginAnew: () => void queries.resetQueries({ queryKey: olderKey }),
    refetch: () => void older.refetch(),
  };
}

function nothingAfter<Item, Place>(after: Place | null): Newer<Item, Place> {
  return { records: [], after, isBehind: false };
}
