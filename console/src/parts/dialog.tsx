import { Modal } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useWords } from '../language/words.ts';

interface DialogProps {
  readonly title: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** For what would be lost: it closes by its own button alone. */
  readonly lasting?: boolean;
  readonly children: ReactNode;
}

/** Where the focus was last in the page itself: an item of a menu is gone by the time that the focus is given back. */
let lastInPage: HTMLElement | null = null;

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && !target.closest('[role="menu"], [role="dialog"]')) lastInPage = target;
});

/** A question or a form in front of the page. It gives the focus back to what it was opened with. */
export function Dialog({ title, opened, onClose, lasting = false, children }: DialogProps) {
  const { close } = useWords();

  const opener = useRef<HTMLElement>(null);

  useLayoutEffect(() => {
    if (!opened) {
      opener.current = null;
      return;
    }
    // Where the dialog is taken out again with the page that was put away, it has been opened before.
    opener.current ??= lastInPage;
    const { current } = opener;
    // A page that is put away has done so by then, and takes no focus.
    return () => queueMicrotask(() => current?.focus({ preventScroll: true }));
  }, [opened]);

  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size="lg"
      padding="lg"
      centered
      returnFocus={false}
      closeOnClickOutside={false}
      closeOnEscape={!lasting}
    >
      <Modal.Overlay />
      <Modal.Content>
        {/* Not the header of the document. */}
        <Modal.Header role="presentation">
          <Modal.Title fw={650} fz="lg">
            {title}
          </Modal.Title>
          {!lasting && <Modal.CloseButton aria-label={close} />}
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
