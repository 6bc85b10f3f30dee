import type { ShownUserState } from '@anagrafe/client';
import { Button, Group, NativeSelect, Switch } from '@mantine/core';
import { useParams } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useInvitationsMessages, usePrincipalsMessages, useUsersMessages } from '../../i18n/language.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { Search, useSearchTerm } from '../../ui/filters.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { idOf } from '../../ui/page.tsx';
import { useSearchParameters } from '../../ui/paging.tsx';
import { TagFilter, tagsIn } from '../../ui/tags.tsx';
import { InviteAll } from '../invitations/invite-all.tsx';
import { type UserSort, type UsersFilter, useAllUsers, userSorts } from './queries.ts';
import { SelectionBar, useSelection, useSelectionColumn } from './selection.tsx';
import { useUserColumns } from './user-columns.tsx';
import { OneUser, UserNotFound } from './user-page.tsx';

const states: readonly ShownUserState[] = ['active', 'invited', 'disabled'];
const countedMax = 10_000;

/** `/console/users`: the list, or the user whose ID is in the URL. */
export function Users() {
  const { id: text } = useParams<{ id?: string }>();
  if (text === undefined) return <AllUsers />;
  const id = idOf(text);
  return id === null ? <UserNotFound /> : <OneUser id={id} />;
}

/** Keeps the filters in the URL (`?state=disabled&never=true&sort=-UpdatedAt`). A change returns to the first page. */
function useFilters() {
  const [search, setParameters] = useSearchParameters();
  const filters: Omit<UsersFilter, 'term' | 'tags'> = {
    state: states.find((state) => state === search.get('state')) ?? null,
    neverSignedIn: search.get('never') === 'true',
    sort: userSorts.find((sort) => sort === search.get('sort')) ?? 'ID',
  };
  const setFilter = (name: 'state' | 'never' | 'sort', value: string | null) =>
    setParameters({ page: null, [name]: value });
  return [filters, setFilter] as const;
}

function AllUsers() {
  const messages = useUsersMessages();
  const { all: invite } = useInvitationsMessages();
  const { states: stateLabels, fields } = usePrincipalsMessages();
  const { number } = useFormats();
  const [filters, setFilter] = useFilters();
  const search = useSearchTerm();
  const tagTerm = useSearchTerm('tags');
  const tags = tagsIn(tagTerm.term);
  const [dialog, open] = useDialog();
  const { state, neverSignedIn, sort } = filters;
  const list = useAllUsers({ ...filters, term: search.term, tags });
  const selection = useSelection(JSON.stringify([search.term, tags, state, neverSignedIn]));
  const setSort = (next: UserSort) => setFilter('sort', next === 'ID' ? null : next);
  const select = useSelectionColumn(selection);
  const columns = useUserColumns(open, { withPrincipal: true, sort: [sort, setSort] });
  const isFiltered = search.term !== '' || tags.length > 0 || state !== null || neverSignedIn;
  const total = list.data?.totalCount;
  // The service stops counting at 10,000 users that match a filter.
  const countOf = (count: number) =>
    isFiltered && count >= countedMax
      ? messages.atLeast(number(count))
      : messages.count(count, number(count));
  return (
    <ListPage
      title={messages.title}
      intro={messages.intro}
      actions={
        state === 'invited' &&
        search.term === '' && (
          <Button
            variant="default"
            onClick={() => open((close) => <InviteAll of={{ Tags: tags }} onClose={close} />)}
          >
            {invite.action}
          </Button>
        )
      }
      filters={
        <>
          <Group gap="sm">
            <Search
              label={messages.search}
              placeholder={messages.searchHint}
              search={search}
              busy={list.isPlaceholderData}
            />
            <TagFilter label={fields.Tags} tags={tagTerm} />
            <NativeSelect
              aria-label={messages.columns.state}
              value={state ?? ''}
              onChange={({ currentTarget: { value } }) => setFilter('state', value || null)}
              data={[
                { value: '', label: messages.allStates },
                ...states.map((value) => ({ value, label: stateLabels.user[value] })),
              ]}
            />
            <NativeSelect
              aria-label={messages.sort.label}
              value={sort}
              onChange={({ currentTarget: { value } }) => setSort(value as UserSort)}
              data={userSorts.map((value) => ({ value, label: messages.sort[value] }))}
            />
            <Switch
              label={messages.neverSignedIn}
              checked={neverSignedIn}
              onChange={({ currentTarget: { checked } }) => setFilter('never', checked ? 'true' : null)}
            />
          </Group>
          <SelectionBar
            selection={selection}
            shown={list.rows ?? []}
            count={total !== undefined && !list.isPlaceholderData ? countOf(total) : ''}
            open={open}
          />
        </>
      }
      caption={messages.title}
      columns={[select, ...columns]}
      list={list}
      keyOf={({ ID }) => ID}
      empty={isFiltered ? messages.notFound : messages.empty}
    >
      {dialog}
    </ListPage>
  );
}
