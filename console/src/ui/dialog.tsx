import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type FormEventHandler, type ReactNode, type Ref, useLayoutEffect, useRef, useState } from 'react';
import { useCommonMessages } from '../i18n/language.tsx';
import { Failure } from './loading-or-error.tsx';
import { useNotice } from './notice.tsx';

interface DialogProps {
  readonly title: string;
  readonly opened?: boolean;
  readonly onClose: () => void;
  /** Removes the close button and disables Escape: only a button in the content closes the dialog. */
  readonly staysOpen?: boolean;
  readonly children: ReactNode;
}

/** The element outside menus and dialogs that had the focus last. A menu item no longer exists when a dialog closes. */
let lastInPage: HTMLElement | null = null;

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && !target.closest('[role="menu"], [role="dialog"]')) lastInPage = target;
});

/** A modal dialog that returns the focus to the element that opened it. */
export function Dialog({ title, opened = true, onClose, staysOpen = false, children }: DialogProps) {
  const { close } = useCommonMessages();
  const opener = useRef<HTMLElement>(null);

  useLayoutEffect(() => {
    if (!opened) {
      opener.current = null;
      return;
    }
    // A dialog that `HiddenWhileSignedOut` restores keeps the element that opened it first.
    opener.current ??= lastInPage ?? focusedElement();
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
      closeOnEscape={!staysOpen}
    >
      <Modal.Overlay />
      <Modal.Content>
        {/* Removes the banner role of the `header` element, which only the page header has. */}
        <Modal.Header role="presentation">
          <Modal.Title fw={650} fz="lg">
            {title}
          </Modal.Title>
          {!staysOpen && <Modal.CloseButton aria-label={close} />}
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Returns the element with the focus, if this module was loaded after the element got it. */
function focusedElement(): HTMLElement | null {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : null;
}

export type OpenDialog = (render: (close: () => void) => ReactNode) => void;

/** Returns the open dialog, and a function that opens one: `open((close) => <Edit onClose={close} />)`. */
export function useDialog(): readonly [dialog: ReactNode, open: OpenDialog] {
  const [dialog, setDialog] = useState<ReactNode>(null);
  return [dialog, (render) => setDialog(render(() => setDialog(null)))];
}

/** Returns a function that closes the dialog and shows a notice, for the `onSuccess` of a mutation. */
export function useFinish(onClose: () => void): (sentence: string) => void {
  const notify = useNotice();
  return (sentence) => {
    notify(sentence);
    onClose();
  };
}

export interface DialogFormProps {
  readonly onSubmit: FormEventHandler<HTMLFormElement>;
  readonly submit: string;
  /** The label of the button that closes the dialog, if "Cancel" could be mistaken for the action. */
  readonly cancel?: string | undefined;
  /** The request that the form sends. `error` is null if the form shows the error beside its fields. */
  readonly request: { readonly isPending: boolean; readonly error: Error | null };
  /** A 401 means a wrong password, not an ended session. */
  readonly atSignIn?: boolean;
  readonly onCancel: () => void;
  readonly disabled?: boolean;
  readonly color?: 'red';
  /** Turns off the validation of the browser, for a form that the service validates. */
  readonly noValidate?: boolean;
  readonly ref?: Ref<HTMLFormElement>;
  readonly children: ReactNode;
}

/**
 * The form of a dialog: its fields, the error of its request, and its buttons. A pending request cannot be cancelled,
 * since its response may contain a secret that is shown once. The cancel button stays focusable meanwhile, so that
 * keyboard users keep their position.
 */
export function DialogForm(props: DialogFormProps) {
  const { cancel: usual } = useCommonMessages();
  const {
    submit,
    cancel = usual,
    request,
    atSignIn = false,
    onCancel,
    disabled = false,
    color,
    children,
    ...form
  } = props;
  const { isPending, error } = request;
  return (
    <form {...form}>
      <Stack>
        {children}
        {error && <Failure error={error} atSignIn={atSignIn} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={isPending ? undefined : onCancel}
            {...(isPending && { 'aria-disabled': true, 'data-disabled': true })}
          >
            {cancel}
          </Button>
          <Button type="submit" loading={isPending} disabled={disabled} {...(color && { color })}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface ConfirmDialogProps {
  readonly title: string;
  /** The effect of the action, and whether it can be undone. */
  readonly text: string;
  /** The label of the button: the action itself, not "OK". */
  readonly action: string;
  readonly cancel?: string;
  /** The text that the reader must type before an action that cannot be undone. */
  readonly name?: string;
  /** Shows the button in the primary colour, for an action that is not destructive. */
  readonly harmless?: boolean;
  readonly request?: DialogFormProps['request'];
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

const noRequest = { isPending: false, error: null };

export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    title,
    text,
    action,
    cancel,
    name,
    harmless = false,
    request = noRequest,
    onConfirm,
    onClose,
  } = props;
  const { confirm } = useCommonMessages();
  const form = useForm({ initialValues: { name: '' } });
  const isConfirmed = name === undefined || form.values.name.trim() === name.trim();
  return (
    <Dialog title={title} onClose={onClose} staysOpen={request.isPending}>
      <DialogForm
        onSubmit={form.onSubmit(() => void (isConfirmed && onConfirm()))}
        submit={action}
        cancel={cancel}
        request={request}
        onCancel={onClose}
        disabled={!isConfirmed}
        {...(!harmless && { color: 'red' })}
      >
        <Text>{text}</Text>
        {name !== undefined && (
          <TextInput
            label={confirm.type(name)}
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('name')}
          />
        )}
      </DialogForm>
    </Dialog>
  );
}
