import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { Copied } from '../../parts/secret.tsx';
import { useWords } from './words.ts';

interface HandoverProps {
  readonly secret: string;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** The secret, until someone says that it is stored. */
export function Handover({ secret, onDone, children }: HandoverProps) {
  const words = useWords();
  return (
    <Stack>
      <Alert color="yellow" variant="light" icon={<Icon name="warning" />}>
        {words.secretOnce}
      </Alert>
      <Copied label={words.secret} value={secret} />
      {children}
      <Group justify="flex-end">
        <Button onClick={onDone}>{words.stored}</Button>
      </Group>
    </Stack>
  );
}
