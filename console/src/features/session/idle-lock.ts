import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useAnagrafe } from './api-client.ts';
import { currentSession, expireSession, sessionKey } from './session.ts';

const checkEveryMs = 15_000;
/** Input is stored at most this often. */
const storeEveryMs = 5_000;
const input = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'];
/** The time of the last input, in Unix milliseconds, which the tabs of the browser share. */
const place = 'anagrafe-last-input';

/**
 * Ends the session of an operator that has not used the keyboard or the pointer for `IdleMinutes`: a page that is left
 * open sends requests by itself, so that the idle timeout of the service does not end its session.
 */
export function useIdleLock(): void {
  const queries = useQueryClient();
  const { console: api } = useAnagrafe();
  useEffect(() => {
    let stored = 0;
    const store = () => {
      if (Date.now() - stored < storeEveryMs) return;
      stored = Date.now();
      localStorage.setItem(place, String(stored));
    };
    const check = async () => {
      const session = currentSession(queries);
      if (!session?.Operator) return;
      const idleMs = Date.now() - Number(localStorage.getItem(place));
      if (idleMs < session.IdleMinutes * 60_000) return;
      // The answer to a pending request would report that the session is valid.
      await queries.cancelQueries({ queryKey: sessionKey });
      expireSession(queries);
      // The service ends the session by itself if it cannot be reached now.
      api.signOut().catch(() => undefined);
    };
    store();
    for (const event of input) window.addEventListener(event, store, { capture: true, passive: true });
    const timer = window.setInterval(() => void check(), checkEveryMs);
    return () => {
      for (const event of input) window.removeEventListener(event, store, { capture: true });
      window.clearInterval(timer);
    };
  }, [queries, api]);
}
