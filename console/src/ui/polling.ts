import { useEffect, useState } from 'react';

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
