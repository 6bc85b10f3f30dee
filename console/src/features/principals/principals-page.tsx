import type { Principal } from '@anagrafe/client';
import { Button, Group, Text } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { usePrincipalsMessages } from '../../i18n/language.tsx';
import { ActionsMenu, CreateButton } from '../../ui/actions-menu.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { Search, useSearchTerm } from '../../ui/filters.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { idOf } from '../../ui/page.tsx';
import { CellLink, type Column } from '../../ui/table.tsx';
import { TagFilter, Tags, tagsIn } from '../../ui/tags.tsx';
import { Moment } from '../../ui/time.tsx';
import { useMay } from '../session/session.ts';
import { nameOf } from '../users/find-principals.ts';
import { StateBadge } from '../users/user-state.tsx';
import { useExport } from './export.tsx';
import { CreatePrincipal } from './principal-dialogs.tsx';
import { OnePrincipal, PrincipalNotFound } from './principal-page.tsx';
import { usePrincipals } from './queries.ts';

/** `/console/principals`: the list, or the principal whose ID is in the URL. */
export function Principals() {
  const { id: text } = useParams<{ id?: string }>();
  if (text === undefined) return <AllPrincipals />;
  const id = idOf(text);
  return id === null ? <PrincipalNotFound /> : <OnePrincipal id={id} />;
}

function AllPrincipals() {
  const messages = usePrincipalsMessages();
  const { columns: names } = messages;
  const { number } = useFormats();
  const search = useSearchTerm();
  const tags = useSearchTerm('tags');
  const list = usePrincipals(search.term, tagsIn(tags.term));
  const [dialog, open] = useDialog();
  const exporting = useExport();
  const may = useMay();
  const total = list.data?.totalCount;
  const columns: readonly Column<Principal>[] = [
    {
      name: names.name,
      card: 'title',
      cell: (principal) => (
        <Group gap="xs">
          <CellLink href={`/principals/${principal.ID}`} isName>
            {nameOf(principal)}
          </CellLink>
          {principal.State === 'disabled' && <StateBadge of="principal" state="disabled" />}
          <Tags tags={principal.Tags} />
        </Group>
      ),
    },
    { name: names.id, card: 'none', numeric: true, cell: ({ ID }) => ID },
    { name: names.externalKey, cell: ({ ExternalKey }) => ExternalKey ?? '—' },
    { name: names.vatnumber, cell: ({ Vatnumber }) => Vatnumber ?? '—' },
    { name: names.users, numeric: true, cell: ({ UsersCount }) => number(UsersCount) },
    { name: names.updated, cell: ({ UpdatedAt }) => <Moment at={UpdatedAt} /> },
  ];
  const importLink = (
    <Button component={Link} href="/import" variant="default" mt="xs">
      {messages.empty.action}
    </Button>
  );
  return (
    <ListPage
      title={messages.title}
      intro={messages.intro}
      actions={
        <>
          <ActionsMenu
            label={messages.export.action}
            target={
              <Button
                variant="default"
                leftSection={<Icon name="download" size={16} />}
                loading={exporting.isPending}
              >
                {messages.export.action}
              </Button>
            }
            actions={may('records.export') ? exporting.actions : []}
          />
          {may('records.write') && (
            <CreateButton onClick={() => open((close) => <CreatePrincipal onClose={close} />)}>
              {messages.create}
            </CreateButton>
          )}
        </>
      }
      failure={exporting.failure}
      filters={
        <>
          <Group gap="sm">
            <Search
              label={messages.search}
              placeholder={messages.searchHint}
              search={search}
              busy={list.isPlaceholderData}
            />
            <TagFilter label={messages.fields.Tags} tags={tags} />
          </Group>
          <Text size="sm" c="dimmed" role="status">
            {total !== undefined && !list.isPlaceholderData && messages.count(total, number(total))}
          </Text>
        </>
      }
      caption={messages.title}
      columns={columns}
      list={list}
      keyOf={({ ID }) => ID}
      empty={
        search.term === '' && tags.term === ''
          ? { ...messages.empty, action: may('records.write') && importLink }
          : messages.notFound(search.term || tags.term)
      }
    >
      {dialog}
    </ListPage>
  );
}
