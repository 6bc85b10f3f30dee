import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Copied, type CopiedProps } from './copied.tsx';
import { Icon } from './icon.tsx';

interface HandoverProps {
  /** Says that this is the one moment. */
  readonly once: string;
  readonly values: readonly CopiedProps[];
  readonly done: string;
  readonly busy?: boolean;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** What can be seen at this one moment, until someone says that it is stored. */
export function Handover({ once, values, done, busy = false, onDone, children }: HandoverProps) {
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

/** The form that had the focus is gone: whoever has no mouse goes on from here. */
function takeFocus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}
