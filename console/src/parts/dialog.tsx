import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';

interface DialogProps {
  readonly title: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** For what would be lost: it closes by its own button alone. */
  readonly lasting?: boolean;
  readonly children: ReactNode;
}

/** A question or a form in front of the page. */
export function Dialog({ title, opened, onClose, lasting = false, children }: DialogProps) {
  const { close } = useWords();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size="lg"
      centered
      closeOnClickOutside={false}
      closeOnEscape={!lasting}
      withCloseButton={!lasting}
      closeButtonProps={{ 'aria-label': close }}
      styles={{ title: { fontWeight: 650, fontSize: 'var(--mantine-font-size-lg)' } }}
    >
      {children}
    </Modal>
  );
}
