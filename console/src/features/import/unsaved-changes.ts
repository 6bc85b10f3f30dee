import { createContext, useContext, useEffect } from 'react';

/** Setter of the import page: true while closing the file would lose data. */
export const Unsaved = createContext<(unsaved: boolean) => void>(() => {});

/** While `unsaved` is true, the import page and the browser ask for confirmation before they discard the file. */
export function useUnsaved(unsaved: boolean): void {
  const setUnsaved = useContext(Unsaved);
  useEffect(() => {
    if (!unsaved) return;
    const confirmUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', confirmUnload);
    setUnsaved(true);
    return () => {
      window.removeEventListener('beforeunload', confirmUnload);
      setUnsaved(false);
    };
  }, [unsaved, setUnsaved]);
}
