import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { dismiss, type Session, sessionKey, useSession } from './session.ts';
import { hearTabs } from './tabs.ts';

const lookEveryMs = 15_000;
/** The clock of this machine may be wrong about when a session ends. */
const askEveryMs = 5 * 60_000;
/** As long as the page of a session that has ended is kept: there may be secrets in it. */
const keptMs = 15 * 60_000;

let holders = 0;

/** For what must stay in sight whatever becomes of the session: the secret that it takes to sign in again. */
export function useStayInSight(needed: boolean): void {
  useEffect(() => {
    if (!needed) return;
    holders++;
    return () => {
      holders--;
    };
  }, [needed]);
}

/**
 * The session, asked after without being used: when it should have ended, when one comes back to this window, and when another tab says
 * that it has changed. So no page stays in sight longer than its session, or in the name of another client.
 */
export function useWatchedSession() {
  const queries = useQueryClient();
  const session = useSession();
  const { refetch } = session;

  useEffect(() => {
    const ask = () => {
      if (holders === 0) void refetch({ cancelRefetch: false });
    };
    // After a way out nobody comes back in by looking at the page.
    const askIfThere = () => {
      if (!document.hidden && stateOf(queries) !== 'signed-out') ask();
    };
    const look = () => {
      if (isDue(queries)) ask();
      if (isForgotten(queries)) void dismiss(queries);
    };
    const stopHearing = hearTabs((news) => {
      if (news === 'signed-in') ask();
      else if (holders === 0) void dismiss(queries);
    });
    const timer = window.setInterval(look, lookEveryMs);
    window.addEventListener('focus', askIfThere);
    document.addEventListener('visibilitychange', askIfThere);
    return () => {
      stopHearing();
      window.clearInterval(timer);
      window.removeEventListener('focus', askIfThere);
      document.removeEventListener('visibilitychange', askIfThere);
    };
  }, [queries, refetch]);

  return session;
}

function stateOf(queries: QueryClient): Session['State'] | undefined {
  return queries.getQueryData<Session>(sessionKey)?.State;
}

function isDue(queries: QueryClient): boolean {
  const { data, dataUpdatedAt = 0 } = queries.getQueryState<Session>(sessionKey) ?? {};
  if (!data || data.State === 'signed-out') return false;
  const end = data.ExpiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(data.ExpiresAt);
  return Date.now() >= Math.min(end, dataUpdatedAt + askEveryMs);
}

function isForgotten(queries: QueryClient): boolean {
  const endedAt = queries.getQueryData<Session>(sessionKey)?.visit?.endedAt ?? null;
  return endedAt !== null && Date.now() >= endedAt + keptMs;
}
