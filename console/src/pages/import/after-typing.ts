import { type MouseEvent, useLayoutEffect, useRef } from 'react';
import { flushSync } from 'react-dom';

/**
 * For a button that is pressed right after typing. A field that is left is looked at, by which things move: not before the button was
 * pressed, or it would be gone from under the pointer. What was typed is taken first all the same.
 */
export function useAfterTyping(act: () => void) {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return {
    onMouseDown: (event: MouseEvent) => event.preventDefault(),
    onClick: () => {
      const { activeElement } = document;
      if (activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement)
        flushSync(() => activeElement.blur());
      latest.current();
    },
  };
}
