import { Code, Group, Stack, Text, Title } from '@mantine/core';
import { useId } from 'react';
import { Copy } from '../../parts/copy.tsx';
import classes from './text-block.module.css';

interface TextBlockProps {
  readonly title: string;
  /** What is to be seen; null where there is nothing. */
  readonly text: string | null;
  /** What is copied, where it is not what is to be seen. */
  readonly whole?: string;
  /** What else there is to know, or why there is nothing. */
  readonly note?: string | undefined;
}

/** Text that went out or came in, as it is, to be read and to be carried away. */
export function TextBlock({ title, text, whole = text ?? '', note }: TextBlockProps) {
  const id = useId();
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap">
        <Title order={3} size="h6" id={id}>
          {title}
        </Title>
        {text !== null && <Copy value={whole} what={title} />}
      </Group>
      {text !== null && (
        // What is longer than its place is moved through with the keys, too.
        <Code block className={classes.text ?? ''} role="region" aria-labelledby={id} tabIndex={0}>
          {text}
        </Code>
      )}
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Stack>
  );
}
