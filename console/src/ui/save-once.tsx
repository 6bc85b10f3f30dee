import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Icon } from './icon.tsx';

interface SaveOnceProps {
  readonly title?: string;
  readonly text: string;
  readonly isSaved: boolean;
  readonly downloads: readonly { readonly name: string; readonly onSave: () => void }[];
}

/** Offers files with secrets that cannot be read again, until one of them is saved. */
export function SaveOnce({ title, text, isSaved, downloads }: SaveOnceProps) {
  return (
    <Alert
      color={isSaved ? 'teal' : 'yellow'}
      variant="light"
      icon={<Icon name={isSaved ? 'check' : 'warning'} />}
    >
      <Stack gap="xs" align="flex-start">
        {title !== undefined && (
          <Text size="sm" fw={600}>
            {title}
          </Text>
        )}
        <Text size="sm">{text}</Text>
        <Group gap="xs">
          {downloads.map(({ name, onSave }) => (
            <Button
              key={name}
              size="xs"
              variant={isSaved ? 'default' : 'filled'}
              leftSection={<Icon name="download" size={14} />}
              onClick={onSave}
            >
              {name}
            </Button>
          ))}
        </Group>
      </Stack>
    </Alert>
  );
}
