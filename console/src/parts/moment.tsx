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

/** The time, as it goes on. It is that of the drawing: what has just happened must not seem to be still to come. */
export function useNow(everyMs = 5_000): Date {
  const [, drawAgain] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => drawAgain((times) => times + 1), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return new Date();
}
