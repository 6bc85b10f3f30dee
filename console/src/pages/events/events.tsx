import type { CloudEvent } from '@anagrafe/client';
import { Button, Code, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { useEvents } from '../../api/events.ts';
import { useFormats } from '../../language/formats.ts';
import { Empty } from '../../parts/empty.tsx';
import { eventTypes, useTypeWords } from '../../parts/event-types/words.ts';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Paper } from '../../parts/paper.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useAbout } from './about.ts';
import { useWords } from './words.ts';

/** `/console/events`: what happened, in order; `?from=beginning&type=user.registered`. */
export function Events() {
  const words = useWords();
  const names = useTypeWords();
  const { moment } = useFormats();
  const about = useAbout();
  const [search, setSearch] = useSearchParams();
  const type = eventTypes.find((known) => known === search.get('type')) ?? '';
  const start = search.get('from') === 'beginning' ? 'beginning' : 'latest';
  const events = useEvents(start);
  const read = events.data?.pages.flatMap(({ records }) => records);
  const rows = read?.filter((event) => type === '' || event.type === type);
  const { title, hint } = type === '' || read?.length === 0 ? words.empty : words.emptyType;
  const columns: readonly Column<CloudEvent>[] = [
    { name: words.columns.at, cell: ({ time }) => <Moment at={time} /> },
    { name: words.columns.type, cell: (event) => names[event.type] },
    { name: words.columns.about, cell: about },
    { name: words.columns.id, wide: true, cell: ({ id }) => <Code>{id}</Code> },
  ];

  function choose(from: string, chosen: string) {
    setSearch({ ...(from === 'beginning' && { from }), ...(chosen !== '' && { type: chosen }) });
  }

  const choices = (
    <Group align="flex-end">
      <SegmentedControl
        aria-label={words.start.label}
        value={start}
        onChange={(from) => choose(from, type)}
        data={[
          { value: 'latest', label: words.start.latest },
          { value: 'beginning', label: words.start.beginning },
        ]}
      />
      <NativeSelect
        aria-label={words.type}
        value={type}
        onChange={(event) => choose(start, event.currentTarget.value)}
        data={[
          { value: '', label: words.allTypes },
          ...eventTypes.map((value) => ({ value, label: names[value] })),
        ]}
      />
    </Group>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={choices}>
      <Paper>
        <Table
          caption={words.caption}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          error={events.error}
          onRetry={events.refetch}
          empty={<Empty title={title} hint={hint} />}
        />
        {events.data && (
          <Group justify="center" p="md">
            <Text size="sm" c="dimmed" role="status">
              {!events.data.pages.at(-1)?.more && words.end(moment(new Date(events.dataUpdatedAt)))}
            </Text>
            <Button
              variant="default"
              loading={events.isFetchingNextPage}
              onClick={() => (events.hasNextPage ? events.fetchNextPage() : events.refetch())}
            >
              {words.more}
            </Button>
          </Group>
        )}
      </Paper>
    </Page>
  );
}
