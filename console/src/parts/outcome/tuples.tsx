import type { FailedRecord, Page, Tuple } from '@anagrafe/client';
import { Badge, Box, Group, Switch } from '@mantine/core';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { Place } from '../../api/paged.ts';
import { useFormats } from '../../language/formats.ts';
import { Empty } from '../empty.tsx';
import { Failure } from '../failure.tsx';
import { PagedTable } from '../paged-table.tsx';
import { Surface } from '../surface.tsx';
import type { Column } from '../table.tsx';
import { Faults } from './faults.tsx';
import { RetryKit } from './retry-kit.tsx';
import { useOutcomeWords } from './words.ts';

interface TuplesProps<About> {
  readonly list: UseQueryResult<Page<Tuple, About>>;
  readonly place: Place;
  readonly onPage: (page: number) => void;
  readonly failed: boolean;
  readonly onFailed: (failed: boolean) => void;
  /** Whether every record has its tuple, so that the tenth belongs to the tenth record. */
  readonly complete: boolean;
  /** Where there is something to be sent again. */
  readonly kit: UseMutationResult<FailedRecord[], Error, void> | null;
  readonly id: string;
}

interface Row {
  readonly tuple: Tuple;
  /** From 1, among those that are listed. */
  readonly position: number;
}

/** What became of the records of a call or a job, page by page. */
export function Tuples<About>(props: TuplesProps<About>) {
  const { list, place, onPage, failed, onFailed, complete, kit, id } = props;
  const { tuples, failedOnly } = useOutcomeWords();
  const { number } = useFormats();
  const columns: readonly Column<Row>[] = [
    ...(complete && !failed
      ? [{ name: tuples.position, wide: true, cell: ({ position }: Row) => number(position) }]
      : []),
    { name: tuples.principal, cell: ({ tuple }) => tuple.Item1 ?? '—' },
    { name: tuples.outcome, wide: true, cell: ({ tuple }) => <Outcome applied={tuple.Item3} /> },
    {
      name: tuples.reason,
      cell: ({ tuple }) => (
        <>
          <Box hiddenFrom="sm" mb={4}>
            <Outcome applied={tuple.Item3} />
          </Box>
          {!tuple.Item3 && <Faults tuple={tuple} />}
        </>
      ),
    },
  ];
  const first = (place.page - 1) * place.pageSize + 1;
  const numbered = list.data && {
    ...list.data,
    records: list.data.records.map((tuple, n) => ({ tuple, position: first + n })),
  };
  const actions = (
    <Group gap="md">
      <Switch
        label={failedOnly}
        checked={failed}
        onChange={(event) => onFailed(event.currentTarget.checked)}
      />
      {kit && <RetryKit kit={kit} id={id} />}
    </Group>
  );
  return (
    <Surface title={tuples.title} actions={actions} flush>
      {kit?.error && (
        <Box px="lg" pb="md">
          <Failure error={kit.error} />
        </Box>
      )}
      <PagedTable
        caption={tuples.caption}
        columns={columns}
        list={{ data: numbered, error: list.error, refetch: list.refetch }}
        place={place}
        onPage={onPage}
        keyOf={({ position }) => position}
        empty={
          failed ? (
            <Empty title={tuples.noneFailed} hint={tuples.noneFailedHint} />
          ) : (
            <Empty title={tuples.none} hint={tuples.noneHint} />
          )
        }
      />
    </Surface>
  );
}

function Outcome({ applied }: { applied: boolean }) {
  const { tuples } = useOutcomeWords();
  return <Badge color={applied ? 'teal' : 'red'}>{applied ? tuples.applied : tuples.notApplied}</Badge>;
}
