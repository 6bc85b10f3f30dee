import type { JournalRow, Principal } from '@anagrafe/client';
import { Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { useJournal } from '../../api/audit.ts';
import { useAuthor } from '../../parts/author/author.ts';
import { Empty } from '../../parts/empty.tsx';
import { useTold } from '../../parts/journal/told.ts';
import { Moment } from '../../parts/moment.tsx';
import { NewestFirstTable } from '../../parts/newest-first-table.tsx';
import { Surface } from '../../parts/surface.tsx';
import type { Column } from '../../parts/table.tsx';
import { useWords } from './words.ts';

/** What was done to a principal and its users, told in words, the newest first. */
export function History({ principal }: { principal: Principal }) {
  const { history: words } = useWords();
  const [reads, setReads] = useState(false);
  const list = useJournal({ principal: principal.ID, reads, pageSize: 20 });
  const usernames = new Map(principal.Users.map(({ ID, Username }) => [ID, Username]));
  const told = useTold(usernames);
  const author = useAuthor(usernames);
  const columns: readonly Column<JournalRow>[] = [
    { name: words.at, cell: ({ At }) => <Moment at={At} /> },
    {
      name: words.what,
      cell: (row) => (
        <>
          {told(row)}
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            {author(row)}
          </Text>
        </>
      ),
    },
    { name: words.who, wide: true, cell: author },
    { name: words.address, wide: true, cell: ({ Address }) => Address ?? '—' },
  ];
  const withReads = (
    <Switch
      label={words.withReads}
      checked={reads}
      onChange={(event) => setReads(event.currentTarget.checked)}
    />
  );
  return (
    <Surface title={words.title} actions={withReads} flush>
      <NewestFirstTable
        caption={words.title}
        columns={columns}
        list={list}
        keyOf={({ Position }) => Position}
        empty={<Empty {...words.empty} />}
      />
    </Surface>
  );
}
