import type { JournalRow } from '@anagrafe/client';
import { Box, Code, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.ts';
import { type Fact, Facts } from '../../parts/facts.tsx';
import classes from './details.module.css';
import { useWords } from './words.ts';

/** A row may name a hundred thousand users. */
const shown = 20;

/** All that the journal has of a row, for whoever opens it. */
export function Details({ row }: { row: JournalRow }) {
  const words = useWords();
  const { moment } = useFormats();
  const listed = useListed();
  const facts: readonly (Fact | false | null)[] = [
    [words.columns.position, row.Position],
    [words.columns.at, moment(new Date(row.At))],
    [words.detail.action, row.Action],
    [words.detail.entry, row.ID],
    row.Address !== null && [words.detail.address, row.Address],
    row.RequestId !== null && [words.detail.request, row.RequestId],
    row.CallID !== null && [words.detail.call, row.CallID],
    row.Registered && row.Registered.length > 0 && [words.detail.registered, listed(row.Registered)],
    row.Reset && row.Reset.length > 0 && [words.detail.reset, listed(row.Reset)],
    [words.detail.seal, row.Seal],
  ];
  return (
    <details className={classes.details}>
      <Text component="summary" size="xs" c="dimmed">
        {words.details}
      </Text>
      <Box mt="xs">
        <Facts facts={facts.filter((fact) => !!fact)} />
        {row.Details && (
          <>
            <Text size="xs" c="dimmed" fw={600} mt="sm">
              {words.detail.noted}
            </Text>
            <Code block className={classes.noted ?? ''}>
              {JSON.stringify(row.Details, null, 2)}
            </Code>
          </>
        )}
      </Box>
    </details>
  );
}

function useListed(): (ids: readonly number[]) => string {
  const { others } = useWords();
  const { number } = useFormats();
  return (ids) => {
    const first = ids.slice(0, shown).join(', ');
    return ids.length > shown ? `${first} ${others(number(ids.length - shown))}` : first;
  };
}
