import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCommonMessages } from '../i18n/messages.ts';
import { Copied, type CopiedProps } from './copy.tsx';
import { Icon } from './icon.tsx';

interface ShowSecretOnceProps {
  /** The warning that the values are shown only once. */
  readonly once: string;
  readonly values: readonly CopiedProps[];
  readonly done: string;
  readonly busy?: boolean;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** Shows secrets that cannot be read again, until the reader confirms that they are stored. */
export function ShowSecretOnce({ once, values, done, busy = false, onDone, children }: ShowSecretOnceProps) {
  return (
    <Stack>
      <Alert color="yellow" variant="light" icon={<Icon name="warning" />} tabIndex={-1} ref={takeFocus}>
        {once}
      </Alert>
      {values.map((value) => (
        <Copied key={value.label} {...value} />
      ))}
      {children}
      <Group justify="flex-end">
        <Button onClick={onDone} loading={busy}>
          {done}
        </Button>
      </Group>
    </Stack>
  );
}

/** Focuses the warning, since the form that had the focus is unmounted: keyboard users continue here. */
function takeFocus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}

interface ShowKeysOnceProps {
  readonly publicKey: string;
  readonly secretKey: string;
  readonly busy?: boolean;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** Shows the keys of a client when its secret is created, the only time that the service returns the secret. */
export function ShowKeysOnce({ publicKey, secretKey, ...rest }: ShowKeysOnceProps) {
  const { secret } = useCommonMessages();
  const values = [
    { label: secret.publicKey, value: publicKey },
    { label: secret.secretKey, value: secretKey },
    { label: secret.both, value: `${publicKey}.${secretKey}` },
  ];
  return <ShowSecretOnce once={secret.once} values={values} done={secret.stored} {...rest} />;
}
