import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { useCommonMessages } from '../i18n/messages.ts';
import { Failure } from './loading-or-error.tsx';

interface FormButtonsProps {
  readonly submit: string;
  /** The request is pending. */
  readonly busy: boolean;
  readonly onCancel: () => void;
  /** A required input is missing. */
  readonly disabled?: boolean;
  /** Red for a destructive action. */
  readonly color?: 'red';
}

/**
 * The cancel and submit buttons of a form. A pending request cannot be cancelled, since its response may contain a
 * secret that is shown once. The cancel button stays focusable meanwhile, so that keyboard users keep their position.
 */
export function FormButtons({ submit, busy, onCancel, disabled = false, color }: FormButtonsProps) {
  const { cancel } = useCommonMessages();
  return (
    <Group justify="flex-end">
      <Button
        variant="default"
        onClick={busy ? undefined : onCancel}
        {...(busy && { 'aria-disabled': true, 'data-disabled': true })}
      >
        {cancel}
      </Button>
      <Button type="submit" loading={busy} disabled={disabled} {...(color && { color })}>
        {submit}
      </Button>
    </Group>
  );
}

interface DialogProps {
  readonly title: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Removes the close button and disables Escape: only a button in the content closes the dialog. */
  readonly lasting?: boolean;
  readonly children: ReactNode;
}

/** The element outside menus and dialogs that had the focus last. A menu item no longer exists when a dialog closes. */
let lastInPage: HTMLElement | null = null;

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && !target.closest('[role="menu"], [role="dialog"]')) lastInPage = target;
});

/** A modal dialog that returns the focus to the element that opened it. */
export function Dialog({ title, opened, onClose, lasting = false, children }: DialogProps) {
  const { close } = useCommonMessages();

  const opener = useRef<HTMLElement>(null);

  useLayoutEffect(() => {
    if (!opened) {
      opener.current = null;
      return;
    }
    // A dialog that `HiddenWhileSignedOut` restores keeps the element that opened it first.
    opener.current ??= lastInPage;
    const { current } = opener;
    // The microtask runs after `HiddenWhileSignedOut` has hidden the page, which then takes no focus.
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
        {/* Removes the banner role of the `header` element, which only the page header has. */}
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

interface ConfirmProps {
  readonly title: string;
  /** The effect of the action, and whether it can be undone. */
  readonly text: string;
  /** The label of the button: the action itself, not "OK". */
  readonly action: string;
  /** The text that the reader must type before an action that cannot be undone. */
  readonly name?: string;
  /** Shows the button in the primary colour, for an action that is not destructive. */
  readonly gentle?: boolean;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation of an action. */
export function Confirm({
  title,
  text,
  action,
  name,
  gentle = false,
  busy,
  error,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const messages = useCommonMessages();
  const [typed, setTyped] = useState('');
  const isConfirmed = name === undefined || typed.trim() === name;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isConfirmed) onConfirm();
  }

  return (
    <Dialog title={title} opened onClose={onClose} lasting={busy}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{text}</Text>
          {name !== undefined && (
            <TextInput
              label={messages.confirm.type(name)}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          {error && <Failure error={error} />}
          <FormButtons
            submit={action}
            busy={busy}
            onCancel={onClose}
            disabled={!isConfirmed}
            {...(!gentle && { color: 'red' })}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
