import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { usePlace } from '../../api/paged.ts';
import { usePrincipals } from '../../api/principals.ts';
import { useSearchTerm } from '../../api/search.ts';
import { useFormats } from '../../language/formats.ts';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Page } from '../../parts/page.tsx';
import { PagedTable } from '../../parts/paged-table.tsx';
import { Paper } from '../../parts/paper.tsx';
import { Search } from '../../parts/search.tsx';
import { useColumns } from './columns.tsx';
import { Create } from './create.tsx';
import type { Words } from './english.ts';
import { useWords } from './words.ts';

/** Every principal, by pages; those that are searched for. */
export function List() {
  const words = useWords();
  const { number } = useFormats();
  const search = useSearchTerm();
  const [place, goTo] = usePlace();
  const list = usePrincipals(search.term, place);
  const columns = useColumns();
  const [creating, setCreating] = useState(false);
  const total = list.data?.totalCount;

  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      <Paper>
        <Group justify="space-between" p="lg" gap="sm">
          <Search
            label={words.search}
            placeholder={words.searchHint}
            search={search}
            busy={list.isPlaceholderData}
          />
          <Text size="sm" c="dimmed" role="status">
            {total !== undefined && !list.isPlaceholderData && words.count(total, number(total))}
          </Text>
        </Group>
        <PagedTable
          caption={words.title}
          columns={columns}
          list={list}
          place={place}
          onPage={goTo}
          keyOf={({ ID }) => ID}
          empty={<Empty {...emptyOf(words, search.term, total)} />}
        />
      </Paper>
      {creating && <Create onClose={() => setCreating(false)} />}
    </Page>
  );
}

/** Nothing is found, the page is beyond the last one, or there is nothing yet. */
function emptyOf(words: Words, term: string, total: number | undefined) {
  if (total) return words.beyond;
  return term === '' ? words.empty : words.notFound(term);
}
