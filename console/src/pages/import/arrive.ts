/** The `ref` of what takes the place of a button that was pressed: whoever has no mouse goes on from there. */
export function arrive(element: HTMLElement | null): void {
  if (!element) return;
  element.focus({ preventScroll: true });
  // Above the middle, where nothing lies over it and what follows is seen too.
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > window.innerHeight / 2) window.scrollBy({ top: top - window.innerHeight / 4 });
}
