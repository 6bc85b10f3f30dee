import { useEffect, useState } from 'react';
import { useFormats } from '../language/formats.ts';

/** A time as it is said, "3 minutes ago", with the exact one on top of it. */
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

/** The time, as it goes on. */
export function useNow(everyMs = 15_000): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(new Date()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now;
}
