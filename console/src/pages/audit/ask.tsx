import { Button, Group, NumberInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useWords } from './words.ts';

/** Asks for a number, from 1 on, to go to what it names. */
export function Ask({ label, onAsk }: { label: string; onAsk: (number: number) => void }) {
  const { find } = useWords();
  const [number, setNumber] = useState<number | string>('');

  function submit(event: FormEvent) {
    event.preventDefault();
    if (number !== '') onAsk(Number(number));
  }

  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <NumberInput
          label={label}
          size="xs"
          w={210}
          value={number}
          onChange={setNumber}
          min={1}
          max={Number.MAX_SAFE_INTEGER - 1}
          allowDecimal={false}
          allowNegative={false}
          hideControls
        />
        <Button type="submit" size="xs" variant="default" aria-label={`${find.go}: ${label}`}>
          {find.go}
        </Button>
      </Group>
    </form>
  );
}
