import type { CompletedCall } from '@anagrafe/client';
import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useFormats } from '../../language/formats.ts';
import { useAuthor } from '../../parts/author/author.ts';
import { Moment } from '../../parts/moment.tsx';
import { useOutcomeWords } from '../../parts/outcome/words.ts';
import type { Column } from '../../parts/table.tsx';
import { useWords } from './words.ts';

/** What the list shows of a call. */
export function useColumns(): readonly Column<CompletedCall>[] {
  const { columns, milliseconds } = useWords();
  const { operation } = useOutcomeWords();
  const { number } = useFormats();
  const author = useAuthor();
  return [
    { name: columns.at, cell: ({ At }) => <Moment at={At} /> },
    {
      name: columns.call,
      cell: ({ CallID, Operation }) =>
        CallID === null ? (
          operation[Operation]
        ) : (
          <Anchor component={Link} href={`/calls/${CallID}`} size="sm" fw={600}>
            {operation[Operation]} · {CallID.slice(0, 8)}
          </Anchor>
        ),
    },
    { name: columns.author, wide: true, cell: author },
    { name: columns.records, wide: true, numeric: true, cell: ({ Records }) => number(Records) },
    {
      name: columns.failed,
      numeric: true,
      cell: ({ RecordsFailed }) => (
        <Text span size="sm" {...(RecordsFailed > 0 && { c: 'var(--mantine-color-error)', fw: 600 })}>
          {number(RecordsFailed)}
        </Text>
      ),
    },
    { name: columns.users, wide: true, numeric: true, cell: ({ UsersApplied }) => number(UsersApplied) },
    {
      name: columns.took,
      wide: true,
      numeric: true,
      cell: ({ Milliseconds }) => milliseconds(number(Milliseconds)),
    },
  ];
}
