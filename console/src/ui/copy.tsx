import { Code, CopyButton, Group, TextInput, VisuallyHidden } from '@mantine/core';
import { useCommonMessages } from '../i18n/language.tsx';
import { IconButton } from './icon.tsx';

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
          <IconButton
            icon={copied ? 'check' : 'copy'}
            label={messages.copy(what)}
            isOutlined
            onClick={copy}
            style={{
              height: 36,
              width: 36,
              ...(copied && { color: 'var(--mantine-color-teal-light-color)' }),
            }}
          />
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

/** The style of a `Code` block whose long lines wrap. */
export const wrapped = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;

export function Command({ text, what }: { text: string; what: string }) {
  return (
    <Group align="flex-start" gap="xs" wrap="nowrap">
      <Code block flex={1} style={wrapped}>
        {text}
      </Code>
      <Copy value={text} what={what} />
    </Group>
  );
}

export function saveFile(name: string, content: readonly BlobPart[], type = ''): void {
  const url = URL.createObjectURL(new Blob([...content], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  // The browser reads the blob after `click` has returned, so that its URL must stay valid for a while.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
