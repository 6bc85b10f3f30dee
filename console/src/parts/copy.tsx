import { ActionIcon, CopyButton, Tooltip, VisuallyHidden } from '@mantine/core';
import { useWords } from '../language/words.ts';
import { Icon } from './icon.tsx';

interface CopyProps {
  readonly value: string;
  /** What is copied: the name of the button. */
  readonly what: string;
}

/** Puts a value on the clipboard, and says so. */
export function Copy({ value, what }: CopyProps) {
  const words = useWords();
  return (
    <CopyButton value={value} timeout={2000}>
      {({ copied, copy }) => (
        <>
          <Tooltip label={copied ? words.copied : words.copy(what)}>
            <ActionIcon
              variant="default"
              size="input-sm"
              aria-label={words.copy(what)}
              onClick={copy}
              {...(copied && { c: 'teal' })}
            >
              <Icon name={copied ? 'check' : 'copy'} />
            </ActionIcon>
          </Tooltip>
          <VisuallyHidden role="status">{copied ? words.copied : ''}</VisuallyHidden>
        </>
      )}
    </CopyButton>
  );
}
