import { NumberInput, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { FormButtons } from './dialog.tsx';
import { Failure } from './loading-or-error.tsx';

interface HoursFormProps {
  readonly text: string;
  readonly label: string;
  readonly hint: string;
  readonly submit: string;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onSubmit: (hours: number) => void;
  readonly onCancel: () => void;
  /** Further content between the text and the field. */
  readonly children?: ReactNode;
}

/** Asks for the number of hours that the old secret stays valid beside the new one, from 0 to 9999. */
export function HoursForm(props: HoursFormProps) {
  const { text, label, hint, submit, busy, error, onSubmit, onCancel, children } = props;
  const [hours, setHours] = useState<number | string>(24);

  function send(event: FormEvent) {
    event.preventDefault();
    onSubmit(Number(hours));
  }

  return (
    <form onSubmit={send}>
      <Stack>
        <Text>{text}</Text>
        {children}
        <NumberInput
          label={label}
          description={hint}
          value={hours}
          onChange={setHours}
          min={0}
          max={9999}
          allowDecimal={false}
          allowNegative={false}
          required
          withAsterisk={false}
          data-autofocus
        />
        {error && <Failure error={error} />}
        <FormButtons submit={submit} busy={busy} onCancel={onCancel} disabled={hours === ''} />
      </Stack>
    </form>
  );
}
