import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
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
  const importing = (
    <Button component={Link} href="/import" variant="default" mt="xs">
      {words.empty.action}
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
          empty={
            search.term === '' ? (
              <Empty title={words.empty.title} hint={words.empty.hint} action={importing} />
            ) : (
              <Empty {...words.notFound(search.term)} />
            )
          }
        />
      </Paper>
      {creating && <Create onClose={() => setCreating(false)} />}
    </Page>
  );
}
