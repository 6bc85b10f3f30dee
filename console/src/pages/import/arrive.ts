/** The `ref` of what takes the place of a button that was pressed: whoever has no mouse goes on from there. */
export function arrive(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}
