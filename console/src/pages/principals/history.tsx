import type { JournalRow, Principal } from '@anagrafe/client';
import { Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { useClients } from '../../api/clients.ts';
import { useHistory } from '../../api/history.ts';
import { Empty } from '../../parts/empty.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Surface } from '../../parts/surface.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { type Names, tellDeed, tellWho } from './telling.ts';
import { useWords } from './words.ts';

const pageSize = 10;

/** What was done to a principal and its users, told in words, the newest first. */
export function History({ principal }: { principal: Principal }) {
  const { history: words } = useWords();
  const { data, error, refetch } = useHistory(principal.ID);
  const names = useNames(principal);
  const [page, setPage] = useState(1);
  const [withReads, setWithReads] = useState(false);
  const columns: readonly Column<JournalRow>[] = [
    { name: words.at, cell: ({ At }) => <Moment at={At} /> },
    { name: words.what, cell: (row) => tellDeed(row, words, names) },
    { name: words.who, wide: true, cell: (row) => tellWho(row, words, names) },
    { name: words.address, wide: true, cell: ({ Address }) => Address ?? '—' },
  ];
  const told = data?.rows.filter(({ Action }) => withReads || Action !== 'records.read').toReversed();
  const totalCount = told?.length ?? 0;
  const totalPages = Math.max(1, Math.ceil(totalCount / pageSize));
  const shownPage = Math.min(page, totalPages);
  const reads = (
    <Switch
      label={words.withReads}
      checked={withReads}
      onChange={(event) => {
        setWithReads(event.currentTarget.checked);
        setPage(1);
      }}
    />
  );
  return (
    <Surface title={words.title} actions={reads} flush>
      {data?.more && (
        <Text size="sm" c="dimmed" px="lg" pb="sm" role="status">
          {words.readingOn}
        </Text>
      )}
      <Table
        caption={words.title}
        columns={columns}
        rows={told?.slice((shownPage - 1) * pageSize, shownPage * pageSize)}
        keyOf={({ ID }) => ID}
        error={error}
        onRetry={refetch}
        empty={<Empty {...words.empty} />}
      />
      <Pager
        of={words.title}
        page={shownPage}
        pageSize={pageSize}
        totalCount={totalCount}
        totalPages={totalPages}
        onPage={setPage}
      />
    </Surface>
  );
}

/** Who is meant by the numbers of the journal, as far as that is known here. */
function useNames({ Users }: Principal): Names {
  const clients = useClients().data ?? [];
  return {
    users: new Map(Users.map(({ ID, Username }) => [ID, Username])),
    clients: new Map(clients.map(({ ID, Name }) => [ID, Name])),
  };
}
