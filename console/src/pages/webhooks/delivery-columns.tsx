import type { Delivery } from '@anagrafe/client';
import { Anchor, Box, Button, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.ts';
import { causeOf } from '../../parts/causes/cause.ts';
import { useCauseWords } from '../../parts/causes/words.ts';
import { useTypeWords } from '../../parts/event-types/words.ts';
import { Moment } from '../../parts/moment.tsx';
import type { Column } from '../../parts/table.tsx';
import { DeliveryState } from './delivery-state.tsx';
import { useNextAttempt } from './next-attempt.ts';
import { useWords } from './words.ts';

interface Doing {
  readonly onOpen: (delivery: string) => void;
  readonly onAgain: (delivery: string) => void;
}

/** What the list shows of a message to a webhook that is enabled, or not. */
export function useDeliveryColumns(
  enabled: boolean,
  { onOpen, onAgain }: Doing,
): readonly Column<Delivery>[] {
  const { list } = useWords();
  const names = useTypeWords();
  const { number } = useFormats();
  const came = (delivery: Delivery) => <Came delivery={delivery} enabled={enabled} />;
  return [
    { name: list.at, wide: true, cell: ({ CreatedAt }) => <Moment at={CreatedAt} /> },
    {
      name: list.type,
      cell: (delivery) => (
        <>
          <Anchor component="button" type="button" size="sm" ta="left" onClick={() => onOpen(delivery.ID)}>
            {names[delivery.Type]}
            <Text size="xs" c="dimmed" component="span" display="block">
              {delivery.ID.slice(0, 8)}
            </Text>
          </Anchor>
          <Box hiddenFrom="sm" fz="xs">
            <Moment at={delivery.CreatedAt} />
            <br />
            {came(delivery)}
          </Box>
        </>
      ),
    },
    { name: list.state, cell: (delivery) => <DeliveryState delivery={delivery} /> },
    { name: list.attempts, wide: true, numeric: true, cell: ({ Attempts }) => number(Attempts) },
    { name: list.answer, wide: true, cell: came },
    {
      name: list.actions,
      wide: true,
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

function Came({ delivery, enabled }: { delivery: Delivery; enabled: boolean }) {
  const { answered } = useWords();
  const { causes } = useCauseWords();
  const { Status, NextAt } = delivery;
  const cause = causeOf(delivery);
  return (
    <>
      {Status !== null ? answered(Status) : cause ? causes[cause].what : '—'}
      {NextAt && <Next at={NextAt} enabled={enabled} />}
    </>
  );
}

function Next({ at, enabled }: { at: string; enabled: boolean }) {
  const { list } = useWords();
  return (
    <Text size="xs" c="dimmed">
      {list.next(useNextAttempt(at, enabled))}
    </Text>
  );
}
