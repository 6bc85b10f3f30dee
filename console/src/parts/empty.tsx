import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyProps {
  readonly title: string;
  /** What to do so that there is something. */
  readonly hint: string;
  readonly action?: ReactNode;
}

/** Nothing is there yet, and this is the next step. */
export function Empty({ title, hint, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py="xl" px="lg" ta="center">
      <Text fw={600}>{title}</Text>
      <Text c="dimmed" size="sm" maw={460}>
        {hint}
      </Text>
      {action}
    </Stack>
  );
}
