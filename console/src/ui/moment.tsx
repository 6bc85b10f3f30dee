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
