import { useEffect, useState } from 'react';

const absentAfterMs = 5 * 60_000;
const signs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'focus'] as const;

/**
 * How often a page that shows something live asks again; not at all while nobody is there. Each time is a use of the session, which is
 * meant to end when someone has left it open.
 */
export function useLive(everyMs: number): number | false {
  const [present, setPresent] = useState(true);

  useEffect(() => {
    let timer: number | undefined;
    const seen = () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setPresent(false), absentAfterMs);
      setPresent(true);
    };
    seen();
    for (const sign of signs) window.addEventListener(sign, seen, { passive: true });
    return () => {
      window.clearTimeout(timer);
      for (const sign of signs) window.removeEventListener(sign, seen);
    };
  }, []);

  return present && everyMs;
}
