import { Alert, Group, Stack, TextInput } from '@mantine/core';
import { useWords } from '../language/words.ts';
import { Copy } from './copy.tsx';
import { Icon } from './icon.tsx';

/** A value that one carries away from here. */
export function Copied({ label, value }: { label: string; value: string }) {
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

/** The keys of a client, at the one moment when its secret can be seen. */
export function Secret({ publicKey, secretKey }: { publicKey: string; secretKey: string }) {
  const { secret } = useWords();
  return (
    <Stack gap="sm">
      <Alert color="yellow" variant="light" icon={<Icon name="warning" />}>
        {secret.once}
      </Alert>
      <Copied label={secret.publicKey} value={publicKey} />
      <Copied label={secret.secretKey} value={secretKey} />
      <Copied label={secret.both} value={`${publicKey}.${secretKey}`} />
    </Stack>
  );
}
