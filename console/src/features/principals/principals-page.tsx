import type { Principal } from '@anagrafe/client';
import { Anchor, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { usePrincipalsMessages } from '../../i18n/messages.ts';
import { Icon } from '../../ui/icon.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Page, TableFrame } from '../../ui/page.tsx';
import { PagedTable, usePageNumber } from '../../ui/paged-table.tsx';
import { Search, useSearchTerm } from '../../ui/search-field.tsx';
import { type Column, Empty } from '../../ui/table.tsx';
import { Create } from './create-principal.tsx';
import { One, PrincipalNotFound } from './principal-page.tsx';
import { StateBadge } from './principal-state.tsx';
import { nameOf, usePrincipals } from './queries.ts';

/** Returns the columns of the list of principals. */
export function useColumns(): readonly Column<Principal>[] {
  const { columns } = usePrincipalsMessages();
  const { number } = useFormats();
  return [
    {
      name: columns.name,
      cell: (principal) => (
        <Group gap="xs">
          <Anchor component={Link} href={`/principals/${principal.ID}`} fw={600} size="sm">
            {nameOf(principal)}
          </Anchor>
          {principal.State === 'disabled' && <StateBadge of="principal" state="disabled" />}
        </Group>
      ),
    },
    { name: columns.id, wide: true, numeric: true, cell: ({ ID }) => ID },
    { name: columns.externalKey, wide: true, cell: ({ ExternalKey }) => ExternalKey ?? '—' },
    { name: columns.vatnumber, wide: true, cell: ({ Vatnumber }) => Vatnumber ?? '—' },
    { name: columns.users, numeric: true, cell: ({ UsersCount }) => number(UsersCount) },
    { name: columns.updated, wide: true, cell: ({ UpdatedAt }) => <Moment at={UpdatedAt} /> },
  ];
}

/** The paged list of principals, with a search field. */
export function List() {
  const messages = usePrincipalsMessages();
  const { number } = useFormats();
  const search = useSearchTerm();
  const [place, goTo] = usePageNumber();
  const list = usePrincipals(search.term, place);
  const columns = useColumns();
  const [creating, setCreating] = useState(false);
  const total = list.data?.totalCount;

  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
      {messages.create}
    </Button>
  );
  const importLink = (
    <Button component={Link} href="/import" variant="default" mt="xs">
      {messages.empty.action}
    </Button>
  );
  return (
    <Page title={messages.title} intro={messages.intro} actions={create}>
      <TableFrame>
        <Group justify="space-between" p="lg" gap="sm">
          <Search
            label={messages.search}
            placeholder={messages.searchHint}
            search={search}
            busy={list.isPlaceholderData}
          />
          <Text size="sm" c="dimmed" role="status">
            {total !== undefined && !list.isPlaceholderData && messages.count(total, number(total))}
          </Text>
        </Group>
        <PagedTable
          caption={messages.title}
          columns={columns}
          list={list}
          place={place}
          onPage={goTo}
          keyOf={({ ID }) => ID}
          empty={
            search.term === '' ? (
              <Empty title={messages.empty.title} hint={messages.empty.hint} action={importLink} />
            ) : (
              <Empty {...messages.notFound(search.term)} />
            )
          }
        />
      </TableFrame>
      {creating && <Create onClose={() => setCreating(false)} />}
    </Page>
  );
}

/** `/console/principals`: the list, or the principal whose ID is in the URL. */
export function Principals() {
  const { id } = useParams<{ id?: string }>();
  if (id === undefined) return <List />;
  return /^[1-9]\d{0,14}$/.test(id) ? <One id={Number(id)} /> : <PrincipalNotFound />;
}
