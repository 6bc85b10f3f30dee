import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import {
  clearSession,
  currentSession,
  onTabMessage,
  type Session,
  sessionKey,
  useSession,
} from './session.ts';

const checkEveryMs = 15_000;
/** The maximum age of the session data, because the clock of this machine may be wrong about the expiry. */
const maxAgeMs = 5 * 60_000;
/** The time for which the hidden pages of an ended session stay mounted; they may contain secrets. */
const keepHiddenMs = 15 * 60_000;

/** The number of components that must stay visible; unless it is zero, the session is not refetched. */
let keptVisible = 0;

/** Keeps the page visible even if the session ends: it shows the secret that the next sign-in requires. */
export function useKeepVisible(needed: boolean): void {
  useEffect(() => {
    if (!needed) return;
    keptVisible++;
    return () => {
      keptVisible--;
    };
  }, [needed]);
}

/**
 * Returns the session, and refetches it at its expiry, when the window gets the focus and when another tab reports a
 * change. These requests do not restart the idle timeout. No page stays visible after the end of its session, or in the
 * name of another client.
 */
export function useWatchedSession() {
  const queries = useQueryClient();
  const session = useSession();
  const { refetch } = session;

  useEffect(() => {
    const refresh = () => {
      if (keptVisible === 0) void refetch({ cancelRefetch: false });
    };
    // After a sign-out, the focus on the window must not restore a session.
    const refreshIfVisible = () => {
      if (!document.hidden && currentSession(queries)?.State !== 'signed-out') refresh();
    };
    const check = () => {
      if (isRefreshDue(queries)) refresh();
      if (isHiddenTooLong(queries)) void clearSession(queries);
    };
    const stopListening = onTabMessage((message) => {
      if (message === 'signed-in') refresh();
      else if (keptVisible === 0) void clearSession(queries);
    });
    const timer = window.setInterval(check, checkEveryMs);
    window.addEventListener('focus', refreshIfVisible);
    document.addEventListener('visibilitychange', refreshIfVisible);
    return () => {
      stopListening();
      window.clearInterval(timer);
      window.removeEventListener('focus', refreshIfVisible);
      document.removeEventListener('visibilitychange', refreshIfVisible);
    };
  }, [queries, refetch]);

  return session;
}

function isRefreshDue(queries: QueryClient): boolean {
  const { data, dataUpdatedAt = 0 } = queries.getQueryState<Session>(sessionKey) ?? {};
  if (!data || data.State === 'signed-out') return false;
  const end = data.ExpiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(data.ExpiresAt);
  return Date.now() >= Math.min(end, dataUpdatedAt + maxAgeMs);
}

function isHiddenTooLong(queries: QueryClient): boolean {
  const expiredAt = currentSession(queries)?.clientSession?.expiredAt ?? null;
  return expiredAt !== null && Date.now() >= expiredAt + keepHiddenMs;
}
