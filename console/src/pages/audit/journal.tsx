import { Button, Group, Switch, Text } from '@mantine/core';
import { useJournal } from '../../api/audit.ts';
import { useFormats } from '../../language/formats.ts';
import { Empty } from '../../parts/empty.tsx';
import { NewestFirstTable } from '../../parts/newest-first-table.tsx';
import { Surface } from '../../parts/surface.tsx';
import { Ask } from './ask.tsx';
import { useAsked } from './asked.ts';
import { useColumns } from './columns.tsx';
import { useWords } from './words.ts';

/** The rows, the newest first: all of them, or those that are asked for. */
export function Journal() {
  const words = useWords();
  const [{ principal, position, reads }, ask] = useAsked();
  const list = useJournal({ principal, position, reads, pageSize: 50 });
  const lookUp = (
    <Group align="flex-end">
      <Ask label={words.find.position} onAsk={(number) => ask({ position: number })} />
      <Ask label={words.find.principal} onAsk={(id) => ask({ principal: id, position: null })} />
      <Switch
        label={words.find.reads}
        checked={reads}
        onChange={(event) => ask({ reads: event.currentTarget.checked })}
        mb={5}
      />
    </Group>
  );
  return (
    <Surface title={words.caption} actions={lookUp} flush>
      <Narrowed
        principal={principal}
        position={position}
        onAll={() => ask({ principal: null, position: null })}
      />
      <NewestFirstTable
        caption={words.caption}
        columns={useColumns()}
        list={list}
        keyOf={({ Position }) => Position}
        empty={<Empty {...(principal === null ? words.empty : words.emptyOf)} />}
      />
    </Surface>
  );
}

interface NarrowedProps {
  readonly principal: number | null;
  readonly position: number | null;
  readonly onAll: () => void;
}

/** What was asked for, with the way back to everything. */
function Narrowed({ principal, position, onAll }: NarrowedProps) {
  const { find } = useWords();
  const { number } = useFormats();
  if (principal === null && position === null) return null;
  return (
    <Group px="lg" pb="sm">
      <Text size="sm">
        {principal !== null && find.of(String(principal))} {position !== null && find.from(number(position))}
      </Text>
      <Button variant="default" size="xs" onClick={onAll}>
        {principal === null ? find.newest : find.all}
      </Button>
    </Group>
  );
}
