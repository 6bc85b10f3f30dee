import { Button, Group, type MantineBreakpoint, Text } from '@mantine/core';
import { useSignOut } from '../api/session.ts';
import { useWords } from '../language/words.ts';
import { Icon } from '../parts/icon.tsx';

export interface SignedInClient {
  readonly PublicKey: string;
  readonly Name: string;
}

interface WhoProps {
  readonly client: SignedInClient;
  readonly visibleFrom?: MantineBreakpoint;
}

/** Who is signed in, and the way out. */
export function Who({ client, visibleFrom }: WhoProps) {
  const words = useWords();
  const signOut = useSignOut();
  return (
    <Group gap="sm" wrap="nowrap" {...(visibleFrom && { visibleFrom })}>
      <Text size="sm" title={client.PublicKey} maw={220} truncate>
        <Text span c="dimmed" size="sm">
          {words.signedInAs}{' '}
        </Text>
        <Text span fw={600} size="sm">
          {client.Name}
        </Text>
      </Text>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="leave" size={15} />}
        loading={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        {words.signOut}
      </Button>
    </Group>
  );
}
