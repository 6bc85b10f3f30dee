import type { FailedRecord, Page, Tuple } from '@anagrafe/client';
import { Badge, Box, Group, Text } from '@mantine/core';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { Place } from '../../api/paged.ts';
import { useFormats } from '../../language/formats.ts';
import { Empty } from '../empty.tsx';
import { FailedOnly } from '../failed-only.tsx';
import { Failure } from '../failure.tsx';
import { PagedTable } from '../paged-table.tsx';
import { Surface } from '../surface.tsx';
import type { Column } from '../table.tsx';
import { Faults } from './faults.tsx';
import { PrincipalLink } from './principal-link.tsx';
import { RetryKit } from './retry-kit.tsx';
import { useOutcomeWords } from './words.ts';

/** What the tuples are of: it says which of its records each of them belongs to. */
interface Placing {
  readonly Positions: readonly number[];
}

interface TuplesProps<About extends Placing> {
  readonly list: UseQueryResult<Page<Tuple, About>>;
  readonly place: Place;
  readonly onPage: (page: number) => void;
  readonly failed: boolean;
  readonly onFailed: (failed: boolean) => void;
  /** Where there is something to be sent again. */
  readonly kit: UseMutationResult<FailedRecord[], Error, void> | null;
  readonly id: string;
}

interface Row {
  readonly tuple: Tuple;
  /** Of the record in its call, from 0. */
  readonly position: number;
}

/** What became of the records of a call or a job, page by page. */
export function Tuples<About extends Placing>(props: TuplesProps<About>) {
  const { list, place, onPage, failed, onFailed, kit, id } = props;
  const { tuples, failedOnly } = useOutcomeWords();
  const { number } = useFormats();
  const columns: readonly Column<Row>[] = [
    { name: tuples.position, numeric: true, cell: ({ position }) => number(position + 1) },
    {
      name: tuples.principal,
      wide: true,
      cell: ({ tuple }) => <PrincipalLink id={tuple.Item1} code={tuple.Item2} />,
    },
    { name: tuples.outcome, wide: true, cell: ({ tuple }) => <Outcome applied={tuple.Item3} /> },
    {
      name: tuples.reason,
      cell: ({ tuple }) => (
        <>
          <Group hiddenFrom="sm" mb={4} gap="xs">
            <Outcome applied={tuple.Item3} />
            <Text size="sm">
              {tuples.principal} <PrincipalLink id={tuple.Item1} code={tuple.Item2} />
            </Text>
          </Group>
          {!tuple.Item3 && <Faults tuple={tuple} />}
        </>
      ),
    },
  ];
  const { data } = list;
  const placed = data && {
    ...data,
    records: data.records.map((tuple, n) => ({ tuple, position: data.record.Positions[n] ?? n })),
  };
  const actions = (
    <Group gap="md">
      <FailedOnly label={failedOnly} failed={failed} onFailed={onFailed} />
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
        list={{ data: placed, error: list.error, refetch: list.refetch }}
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
