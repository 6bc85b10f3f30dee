import { Affix, Notification, Transition } from '@mantine/core';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { useCommonMessages } from '../i18n/messages.ts';
import { Icon } from './icon.tsx';

const NoticeContext = createContext<(sentence: string) => void>(() => {});
const shownMs = 7000;

/** Shows one notice at a time in the corner of the page; screen readers announce it. */
export function NoticeProvider({ children }: { children: ReactNode }) {
  const { close } = useCommonMessages();
  const [sentence, setSentence] = useState<string | null>(null);
  const [lastSentence, setLastSentence] = useState('');
  const hide = useCallback(() => setSentence(null), []);
  const say = useCallback((next: string) => {
    setLastSentence(next);
    setSentence(next);
  }, []);

  useEffect(() => {
    if (sentence === null) return;
    const timer = window.setTimeout(hide, shownMs);
    return () => window.clearTimeout(timer);
  }, [sentence, hide]);

  return (
    <NoticeContext value={say}>
      {children}
      <Affix position={{ bottom: 20, right: 20 }} role="status">
        <Transition mounted={sentence !== null} transition="slide-up">
          {(styles) => (
            <Notification
              style={styles}
              role="presentation"
              withBorder
              color="teal"
              icon={<Icon name="check" />}
              closeButtonProps={{ 'aria-label': close }}
              onClose={hide}
            >
              {lastSentence}
            </Notification>
          )}
        </Transition>
      </Affix>
    </NoticeContext>
  );
}

/** Returns the function that shows a notice: `say('The client was revoked.')`. */
export function useNotice(): (sentence: string) => void {
  return useContext(NoticeContext);
}
