import { NumberInput, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Failure } from './failure.tsx';
import { FormButtons } from './form-buttons.tsx';

interface HoursFormProps {
  readonly text: string;
  readonly label: string;
  readonly hint: string;
  readonly submit: string;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onSubmit: (hours: number) => void;
  readonly onCancel: () => void;
  /** What else is to be known first. */
  readonly children?: ReactNode;
}

/** Asks for how many hours an old secret goes on beside the new one. */
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
