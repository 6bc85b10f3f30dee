import { useEffect, useState } from 'react';
import { useFormats } from '../i18n/formats.ts';

/** A relative time, such as "3 minutes ago", with the exact time as its tooltip. `at` is an ISO 8601 timestamp. */
export function Moment({ at }: { at: string }) {
  const { ago, moment } = useFormats();
  const now = useNow();
  const date = new Date(at);
  return (
    <time dateTime={at} title={moment(date)} style={{ whiteSpace: 'nowrap' }}>
      {ago(date, now)}
    </time>
  );
}

/**
 * Returns the time of this render, and renders again at every interval. A time kept in the state could be older than an
 * event that has just happened, which would then appear to be in the future.
 */
export function useNow(everyMs = 5_000): Date {
  const [, rerender] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => rerender((count) => count + 1), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return new Date();
}

const inactiveAfterMs = 5 * 60_000;
const activityEvents = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'focus'] as const;

/**
 * Returns the polling interval of a live page, or false after five minutes without input. Each poll restarts the idle
 * timeout of the session; without the pause a console that was left open would stay signed in.
 */
export function usePollInterval(everyMs: number): number | false {
  const [isActive, setIsActive] = useState(true);

  useEffect(() => {
    let timer: number | undefined;
    const onActivity = () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setIsActive(false), inactiveAfterMs);
      setIsActive(true);
    };
    onActivity();
    for (const event of activityEvents) window.addEventListener(event, onActivity, { passive: true });
    return () => {
      window.clearTimeout(timer);
      for (const event of activityEvents) window.removeEventListener(event, onActivity);
    };
  }, []);

  return isActive && everyMs;
}
