import { Activity, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useRoute } from 'wouter';
import { ActivePage } from '../ui/page.tsx';

/**
 * Keeps a page mounted from its first visit on: its work continues and its input is kept while another page is shown.
 * A hidden page takes neither the focus nor the document title.
 */
export function KeepAlive({ path, children }: { path: string; children: ReactNode }) {
  const [isActive] = useRoute(path);
  const [wasVisited, setWasVisited] = useState(isActive);
  if (isActive && !wasVisited) setWasVisited(true);
  return (
    <ActivePage value={isActive}>
      <div hidden={!isActive}>{wasVisited && children}</div>
    </ActivePage>
  );
}

/**
 * Hides its children while `isSignedOut` is true, and restores them with their input, open dialogs and focus. Hidden children,
 * including their dialogs, are not visible, cannot be focused, are not read by screen readers and run no effects.
 */
export function HiddenWhileSignedOut({
  isSignedOut,
  children,
}: {
  isSignedOut: boolean;
  children: ReactNode;
}) {
  const focused = useRef<Element>(null);

  useLayoutEffect(() => {
    if (isSignedOut) focused.current = document.activeElement;
  }, [isSignedOut]);

  useEffect(() => {
    if (isSignedOut || !(focused.current instanceof HTMLElement)) return;
    const { current } = focused;
    // The timeout runs after a restored dialog has moved the focus to its first element.
    const timer = window.setTimeout(() => current.focus());
    return () => window.clearTimeout(timer);
  }, [isSignedOut]);

  return <Activity mode={isSignedOut ? 'hidden' : 'visible'}>{children}</Activity>;
}
