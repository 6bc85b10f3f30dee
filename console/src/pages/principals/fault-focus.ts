import { type RefObject, useEffect, useRef } from 'react';

/** For a form that was refused: the first field that is at fault is gone to. */
export function useFaultFocus(error: Error | null): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return form;
}
