import { ActionIcon, Code, CopyButton, Group, TextInput, Tooltip, VisuallyHidden } from '@mantine/core';
import { useCommonMessages } from '../i18n/messages.ts';
import classes from './command.module.css';
import { Icon } from './icon.tsx';

interface CopyProps {
  readonly value: string;
  /** The name of the value, used in the label of the button. */
  readonly what: string;
}

/** A button that copies a value to the clipboard; screen readers announce the copy. */
export function Copy({ value, what }: CopyProps) {
  const messages = useCommonMessages();
  return (
    <CopyButton value={value} timeout={2000}>
      {({ copied, copy }) => (
        <>
          <Tooltip label={copied ? messages.copied : messages.copy(what)}>
            <ActionIcon
              variant="default"
              size="input-sm"
              aria-label={messages.copy(what)}
              onClick={copy}
              {...(copied && { c: 'teal' })}
            >
              <Icon name={copied ? 'check' : 'copy'} />
            </ActionIcon>
          </Tooltip>
          <VisuallyHidden role="status">{copied ? messages.copied : ''}</VisuallyHidden>
        </>
      )}
    </CopyButton>
  );
}

export interface CopiedProps {
  readonly label: string;
  readonly value: string;
}

/** A read-only field with a copy button. */
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

/** A shell command with a copy button. */
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
