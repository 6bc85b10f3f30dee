import { Group, TextInput } from '@mantine/core';
import { Copy } from './copy.tsx';

export interface CopiedProps {
  readonly label: string;
  readonly value: string;
}

/** A value that one carries away from here. */
export function Copied({ label, value }: CopiedProps) {
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        label={label}
        value={value}
        readOnly
        flex={1}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Copy value={value} what={label} />
    </Group>
  );
}
