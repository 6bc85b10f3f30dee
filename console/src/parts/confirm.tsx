import { Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useWords } from '../language/words.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { FormButtons } from './form-buttons.tsx';

interface ConfirmProps {
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly text: string;
  /** What the button says: the act itself, not "OK". */
  readonly action: string;
  /** What has to be typed first, for what cannot be undone. */
  readonly name?: string;
  /** For what does not hurt, and is asked all the same. */
  readonly gentle?: boolean;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that hurts. */
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
  const words = useWords();
  const [typed, setTyped] = useState('');
  const sure = name === undefined || typed.trim() === name;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (sure) onConfirm();
  }

  return (
    <Dialog title={title} opened onClose={onClose} lasting={busy}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{text}</Text>
          {name !== undefined && (
            <TextInput
              label={words.confirm.type(name)}
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
            disabled={!sure}
            {...(!gentle && { color: 'red' })}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
