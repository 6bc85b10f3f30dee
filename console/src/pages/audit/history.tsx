import { Box, Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { usePrincipalRows } from '../../api/audit.ts';
import { Empty } from '../../parts/empty.tsx';
import { Surface } from '../../parts/surface.tsx';
import { Table } from '../../parts/table.tsx';
import { useColumns } from './columns.tsx';
import { useWords } from './words.ts';

/** What was done to one principal, the oldest first, since the journal is read in order. */
export function History({ principal }: { principal: number }) {
  const words = useWords();
  const history = usePrincipalRows(principal);
  const all = (
    <Button component={Link} href="/audit" variant="default" size="xs">
      {words.find.all}
    </Button>
  );
  return (
    <Surface title={words.caption} actions={all} flush>
      <Box px="lg" pb="sm">
        <Text size="sm">{words.find.of(String(principal))}</Text>
      </Box>
      <Table
        caption={words.caption}
        columns={useColumns()}
        rows={history.data?.pages.flatMap(({ records }) => records)}
        keyOf={({ Position }) => Position}
        error={history.error}
        onRetry={history.refetch}
        empty={<Empty title={words.emptyOf.title} hint={words.emptyOf.hint} />}
      />
      {history.hasNextPage && (
        <Group justify="center" p="md">
          <Button
            variant="default"
            loading={history.isFetchingNextPage}
            onClick={() => history.fetchNextPage()}
          >
            {words.more}
          </Button>
        </Group>
      )}
    </Surface>
  );
}
