import { CloseButton } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { useCommonMessages } from '../i18n/language.tsx';
import { Icon } from './icon.tsx';
import classes from './notice.module.css';

const NoticeContext = createContext<(sentence: string) => void>(() => {});
const shownMs = 7000;

/** Shows one notice at a time in the corner of the page; screen readers announce it. */
export function NoticeProvider({ children }: { children: ReactNode }) {
  const { close } = useCommonMessages();
  const [sentence, setSentence] = useState<string | null>(null);

  useEffect(() => {
    if (sentence === null) return;
    const timer = window.setTimeout(() => setSentence(null), shownMs);
    return () => window.clearTimeout(timer);
  }, [sentence]);

  return (
    <NoticeContext value={setSentence}>
      {children}
      <div className={classes.corner} role="status">
        {sentence !== null && (
          <div className={classes.notice}>
            <Icon name="check" />
            <span>{sentence}</span>
            <CloseButton aria-label={close} onClick={() => setSentence(null)} />
          </div>
        )}
      </div>
    </NoticeContext>
  );
}

/** Returns the function that shows a notice: `notify('The client was revoked.')`. */
export function useNotice(): (sentence: string) => void {
  return useContext(NoticeContext);
}
