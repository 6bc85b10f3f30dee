import { useIsMutating } from '@tanstack/react-query';
import { useEffect } from 'react';

/** A `ref` callback for the element that replaces a pressed button: keyboard users continue at that element. */
export function focusOnMount(element: HTMLElement | null): void {
  if (!element) return;
  element.focus({ preventScroll: true });
  // Scrolls the element to the upper half, where the fixed header does not cover it and the content below is visible.
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > window.innerHeight / 2) window.scrollBy({ top: top - window.innerHeight / 4 });
}

/** The element that lost the focus because it was disabled; null if the last focus change had another reason. */
let blurred: HTMLElement | null = null;

document.addEventListener('focusout', ({ target }) => {
  blurred = target instanceof HTMLElement && target.matches(':disabled') ? target : null;
});

/**
 * Returns the focus to a button after its mutation. The browser drops the focus of a button that is disabled while it
 * waits for a response; keyboard users would lose their position. An element that got the focus meanwhile keeps it.
 */
export function useFocusBack(): void {
  const isMutating = useIsMutating() > 0;

  useEffect(() => {
    if (!isMutating && document.activeElement === document.body) blurred?.focus({ preventScroll: true });
  }, [isMutating]);
}
