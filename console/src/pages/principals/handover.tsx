import { Alert, Button, Group, Stack } from '@mantine/core';
import { Icon } from '../../parts/icon.tsx';
import { Copied } from '../../parts/secret.tsx';
import { useWords } from './words.ts';

interface HandoverProps {
  readonly username: string;
  readonly password: string;
  readonly onDone: () => void;
}

/** A new password, at the one moment when it can be seen. */
export function Handover({ username, password, onDone }: HandoverProps) {
  const { handover } = useWords();
  return (
    <Stack>
      <Alert color="yellow" variant="light" icon={<Icon name="warning" />}>
        {handover.once}
      </Alert>
      <Copied label={handover.username} value={username} />
      <Copied label={handover.password} value={password} />
      <Group justify="flex-end">
        <Button onClick={onDone}>{handover.done}</Button>
      </Group>
    </Stack>
  );
}
