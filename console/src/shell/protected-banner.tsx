import { Alert, Button, Stack, Text } from '@mantine/core';
import { useWords } from '../language/words.ts';
import { Icon } from '../parts/icon.tsx';

/** What it means that nobody had to sign in. */
export function ProtectedBanner({ onCreate }: { onCreate: () => void }) {
  const words = useWords().protected;
  return (
    <Alert title={words.title} color="indigo" variant="light" icon={<Icon name="info" />} mb="lg">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" maw={820}>
          {words.text}
        </Text>
        <Button size="xs" onClick={onCreate}>
          {words.action}
        </Button>
      </Stack>
    </Alert>
  );
}
