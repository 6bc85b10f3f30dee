import { Code, Group } from '@mantine/core';
import classes from './command.module.css';
import { Copy } from './copy.tsx';

/** What is to be run in a terminal. */
export function Command({ text, what }: { text: string; what: string }) {
  return (
    <Group align="flex-start" gap="xs" wrap="nowrap">
      <Code block className={classes.command ?? ''}>
        {text}
      </Code>
      <Copy value={text} what={what} />
    </Group>
  );
}
