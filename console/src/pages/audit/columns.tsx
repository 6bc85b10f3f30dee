import type { JournalRow } from '@anagrafe/client';
import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useFormats } from '../../language/formats.ts';
import { useAuthor } from '../../parts/author/author.ts';
import { useTold } from '../../parts/journal/told.ts';
import { Moment } from '../../parts/moment.tsx';
import type { Column } from '../../parts/table.tsx';
import { Details } from './details.tsx';
import { useWords } from './words.ts';

/** What the list shows of a row of the journal. */
export function useColumns(): readonly Column<JournalRow>[] {
  const { columns, principal } = useWords();
  const { number } = useFormats();
  const author = useAuthor();
  const told = useTold();
  const about = ({ IRID }: JournalRow, underline: 'hover' | 'always' = 'hover') =>
    IRID !== null && (
      <Anchor
        component={Link}
        href={`/principals/${IRID}`}
        inherit
        underline={underline}
        style={{ whiteSpace: 'nowrap' }}
      >
        {principal(IRID)}
      </Anchor>
    );
  return [
    { name: columns.position, numeric: true, wide: true, cell: ({ Position }) => number(Position) },
    { name: columns.at, cell: ({ At }) => <Moment at={At} /> },
    { name: columns.author, wide: true, cell: author },
    { name: columns.about, wide: true, cell: (row) => about(row) },
    {
      name: columns.what,
      cell: (row) => (
        <>
          <Text size="sm">{told(row)}</Text>
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            {author(row)} {about(row, 'always')}
          </Text>
          <Details row={row} />
        </>
      ),
    },
  ];
}
