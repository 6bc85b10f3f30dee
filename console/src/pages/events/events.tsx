import type { CloudEvent } from '@anagrafe/client';
import { Code, NativeSelect, Text } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { useEvents } from '../../api/events.ts';
import { useFormats } from '../../language/formats.ts';
import { Empty } from '../../parts/empty.tsx';
import { eventTypes, useTypeWords } from '../../parts/event-types/words.ts';
import { Moment } from '../../parts/moment.tsx';
import { NewestFirstTable } from '../../parts/newest-first-table.tsx';
import { Page } from '../../parts/page.tsx';
import { Paper } from '../../parts/paper.tsx';
import type { Column } from '../../parts/table.tsx';
import { useAbout } from './about.ts';
import { useWords } from './words.ts';

/** `/console/events`: what happened, the newest first; `?type=user.registered` for what is of one type. */
export function Events() {
  const words = useWords();
  const names = useTypeWords();
  const about = useAbout();
  const [search, setSearch] = useSearchParams();
  const type = eventTypes.find((known) => known === search.get('type')) ?? null;
  const list = useEvents(type);
  const { moment } = useFormats();
  const columns: readonly Column<CloudEvent>[] = [
    { name: words.columns.at, cell: ({ time }) => <Moment at={time} /> },
    {
      name: words.columns.type,
      cell: (event) => (
        <>
          {names[event.type]}
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            {about(event)}
          </Text>
        </>
      ),
    },
    { name: words.columns.about, wide: true, cell: about },
    { name: words.columns.id, wide: true, cell: ({ id }) => <Code>{id}</Code> },
  ];

  function tellReached(): string | undefined {
    if (type === null || list.reachedAt === null) return;
    return list.hasOlder ? words.reached(moment(new Date(list.reachedAt))) : words.reachedAll;
  }

  const choice = (
    <NativeSelect
      aria-label={words.type}
      value={type ?? ''}
      onChange={({ currentTarget: { value } }) => setSearch(value === '' ? {} : { type: value })}
      data={[
        { value: '', label: words.allTypes },
        ...eventTypes.map((value) => ({ value, label: names[value] })),
      ]}
    />
  );
  const isSearched = type !== null && list.reachedAt !== null;
  const ofType = list.hasOlder ? words.emptySoFar : words.emptyType;
  return (
    <Page title={words.title} intro={words.intro} actions={choice}>
      <Paper>
        <NewestFirstTable
          caption={words.caption}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          empty={<Empty {...(isSearched ? ofType : words.empty)} />}
          reached={tellReached()}
        />
      </Paper>
    </Page>
  );
}
