import { createContext, useContext, useEffect } from 'react';

/** Told whether there is something that would be lost with the file. */
export const Unsaved = createContext<(unsaved: boolean) => void>(() => {});

/** Has a person asked, here or by the browser, before something is lost that is nowhere else. */
export function useUnsaved(unsaved: boolean): void {
  const tell = useContext(Unsaved);
  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    tell(true);
    return () => {
      window.removeEventListener('beforeunload', ask);
      tell(false);
    };
  }, [unsaved, tell]);
}
