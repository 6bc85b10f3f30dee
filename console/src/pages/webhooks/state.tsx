import type { Webhook } from '@anagrafe/client';
import { Badge, Text } from '@mantine/core';
import { useWhy } from '../../parts/causes/why.ts';
import { useWords } from './words.ts';

/** Whether it is told anything, and why not. */
export function State({ webhook: { DisabledAt, DisabledWhy } }: { webhook: Webhook }) {
  const words = useWords();
  const inWords = useWhy();
  if (DisabledAt === null) {
    return <Badge color="teal">{words.enabled}</Badge>;
  }
  return (
    <>
      <Badge color="red">{words.disabled}</Badge>
      {DisabledWhy && (
        <Text size="xs" c="dimmed">
          {inWords(DisabledWhy)}
        </Text>
      )}
    </>
  );
}
