import { useIsMutating } from '@tanstack/react-query';
import { useEffect } from 'react';

/** What had the focus until it was disabled. */
let waiting: HTMLElement | null = null;

document.addEventListener('focusout', ({ target }) => {
  waiting = target instanceof HTMLElement && target.matches(':disabled') ? target : null;
});

/**
 * A button that waits for an answer is disabled, and loses the focus by that. Once the answer is there it has the focus again, unless
 * that has gone elsewhere: whoever has no mouse goes on from where they were.
 */
export function useFocusBack(): void {
  const isWaiting = useIsMutating() > 0;

  useEffect(() => {
    if (!isWaiting && document.activeElement === document.body) waiting?.focus({ preventScroll: true });
  }, [isWaiting]);
}
