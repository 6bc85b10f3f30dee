import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../../language/words.ts';
import { Secret } from '../../parts/secret.tsx';

interface HandoverProps {
  readonly publicKey: string;
  readonly secretKey: string;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** The keys, until someone says that they are stored. */
export function Handover({ publicKey, secretKey, onDone, children }: HandoverProps) {
  const { secret } = useWords();
  return (
    <Stack>
      <Secret publicKey={publicKey} secretKey={secretKey} />
      {children}
      <Group justify="flex-end">
        <Button onClick={onDone}>{secret.stored}</Button>
      </Group>
    </Stack>
  );
}
