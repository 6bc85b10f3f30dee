import { Activity, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';

/**
 * Something that can be put away and taken out again as it was: what was typed, what is open, where the focus is. Meanwhile nothing of
 * it, its dialogs included, can be seen, reached or heard, and it does nothing by itself.
 */
export function Kept({ away, children }: { away: boolean; children: ReactNode }) {
  const focused = useRef<Element>(null);

  useLayoutEffect(() => {
    if (away) focused.current = document.activeElement;
  }, [away]);

  useEffect(() => {
    if (away || !(focused.current instanceof HTMLElement)) return;
    const { current } = focused;
    // A dialog that is taken out has taken the focus to its beginning by then.
    const timer = window.setTimeout(() => current.focus());
    return () => window.clearTimeout(timer);
  }, [away]);

  return <Activity mode={away ? 'hidden' : 'visible'}>{children}</Activity>;
}
