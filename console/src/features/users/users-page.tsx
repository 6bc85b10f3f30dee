import type { State } from '@anagrafe/client';
import { Group, NativeSelect, Switch, Text } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { usePrincipalsMessages, useUsersMessages } from '../../i18n/language.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { Search, useSearchTerm } from '../../ui/filters.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { useSearchParameters } from '../../ui/paging.tsx';
import { searchedFields, type UsersFilter, useAllUsers } from './queries.ts';
import { useUserColumns } from './user-columns.tsx';

const states: readonly State[] = ['active', 'disabled'];
const countedMax = 10_000;

/** Keeps the filters in the URL (`?by=email&state=disabled&never=true`). A change returns to the first page. */
function useFilters() {
  const [search, setParameters] = useSearchParameters();
  const filters: Omit<UsersFilter, 'term'> = {
    field: searchedFields.find((field) => field === search.get('by')) ?? 'username',
    state: states.find((state) => state === search.get('state')) ?? null,
    neverSignedIn: search.get('never') === 'true',
  };
  const setFilter = (name: 'by' | 'state' | 'never', value: string | null) =>
    setParameters({ page: null, [name]: value });
  return [filters, setFilter] as const;
}

/** `/console/users`: the users of all principals. */
export function Users() {
  const messages = useUsersMessages();
  const { states: stateLabels } = usePrincipalsMessages();
  const { number } = useFormats();
  const [filters, setFilter] = useFilters();
  const search = useSearchTerm();
  const [dialog, open] = useDialog();
  const columns = useUserColumns(open, { withPrincipal: true });
  const list = useAllUsers({ ...filters, term: search.term });
  const { field, state, neverSignedIn } = filters;
  const isFiltered = search.term !== '' || state !== null || neverSignedIn;
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
      filters={
        <>
          <Group gap="sm">
            <NativeSelect
              aria-label={messages.searchBy}
              value={field}
              onChange={({ currentTarget: { value } }) =>
                setFilter('by', value === 'username' ? null : value)
              }
              data={searchedFields.map((value) => ({ value, label: messages.fields[value] }))}
            />
            <Search
              label={messages.search}
              placeholder={messages.searchHint[field]}
              search={search}
              busy={list.isPlaceholderData}
            />
            <NativeSelect
              aria-label={messages.columns.state}
              value={state ?? ''}
              onChange={({ currentTarget: { value } }) => setFilter('state', value || null)}
              data={[
                { value: '', label: messages.allStates },
                ...states.map((value) => ({ value, label: stateLabels.user[value] })),
              ]}
            />
            <Switch
              label={messages.neverSignedIn}
              checked={neverSignedIn}
              onChange={({ currentTarget: { checked } }) => setFilter('never', checked ? 'true' : null)}
            />
          </Group>
          <Text size="sm" c="dimmed" role="status">
            {total !== undefined && !list.isPlaceholderData && countOf(total)}
          </Text>
        </>
      }
      caption={messages.title}
      columns={columns}
      list={list}
      keyOf={({ ID }) => ID}
      empty={
        isFiltered ? { title: messages.notFound.title, hint: messages.notFound.hint[field] } : messages.empty
      }
    >
      {dialog}
    </ListPage>
  );
}
