import type { Delivery } from '@anagrafe/client';
import { Badge, Box, Button, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.ts';
import { useTypeWords } from '../../parts/event-types/words.ts';
import { Moment } from '../../parts/moment.tsx';
import type { Column } from '../../parts/table.tsx';
import { useWords } from './words.ts';

const colors = { pending: 'gray', delivered: 'teal', failed: 'red' } as const;

/** What the list shows of a message. */
export function useDeliveryColumns(onAgain: (delivery: string) => void): readonly Column<Delivery>[] {
  const { list } = useWords();
  const names = useTypeWords();
  const { number } = useFormats();
  return [
    { name: list.at, cell: ({ CreatedAt }) => <Moment at={CreatedAt} /> },
    {
      name: list.type,
      cell: (delivery) => (
        <>
          {names[delivery.Type]}
          <Text size="xs" c="dimmed">
            {delivery.ID.slice(0, 8)}
          </Text>
          <Box hiddenFrom="sm" fz="xs">
            <Answer delivery={delivery} />
          </Box>
        </>
      ),
    },
    {
      name: list.state,
      cell: ({ State }) => (
        <Badge color={colors[State]} variant="light" tt="none" miw="max-content">
          {list.states[State]}
        </Badge>
      ),
    },
    { name: list.attempts, wide: true, numeric: true, cell: ({ Attempts }) => number(Attempts) },
    { name: list.answer, wide: true, cell: (delivery) => <Answer delivery={delivery} /> },
    {
      name: list.actions,
      quiet: true,
      numeric: true,
      // A test tells of nothing that happened: another one is as good.
      cell: ({ ID, Type, State }) =>
        Type !== 'webhook.test' &&
        State !== 'pending' && (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={list.againOf(ID.slice(0, 8))}
            onClick={() => onAgain(ID)}
          >
            {list.again}
          </Button>
        ),
    },
  ];
}

function Answer({ delivery: { Status, Failure, State, NextAt } }: { delivery: Delivery }) {
  const { answered, list } = useWords();
  const { ago } = useFormats();
  const why = Failure ?? (Status !== null && answered(Status));
  return (
    <>
      {why || '—'}
      {State === 'pending' && NextAt && (
        <Text size="xs" c="dimmed">
          {list.next(ago(new Date(NextAt), new Date()))}
        </Text>
      )}
    </>
  );
}
