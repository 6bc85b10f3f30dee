import { Button, Group, Stack, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.ts';
import { Icon } from '../../parts/icon.tsx';
import { Surface } from '../../parts/surface.tsx';
import { useWords } from './words.ts';

interface OutcomeProps {
  readonly applied: number;
  readonly failed: number;
  readonly onMend: () => void;
  readonly onDownload: () => void;
}

/** What became of the rows, and what to do with those that are left. */
export function Outcome({ applied, failed, onMend, onDownload }: OutcomeProps) {
  const { outcome } = useWords();
  const { number } = useFormats();
  return (
    <Surface title={outcome.title}>
      <Stack>
        <Text role="status">
          {outcome.applied(number(applied))} {failed > 0 && outcome.failed(number(failed))}
        </Text>
        {failed > 0 && (
          <Group>
            <Button onClick={onMend}>{outcome.mend}</Button>
            <Button variant="default" leftSection={<Icon name="download" size={16} />} onClick={onDownload}>
              {outcome.download}
            </Button>
          </Group>
        )}
      </Stack>
    </Surface>
  );
}
