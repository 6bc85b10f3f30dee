import type { FailedRecord, Page, Tuple } from '@anagrafe/client';
import { Anchor, Badge, Box, Button, Group, Text, Tooltip } from '@mantine/core';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useResultMessages } from '../../i18n/messages.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { Surface } from '../../ui/page.tsx';
import { FailedOnly, PagedTable, type Place } from '../../ui/paged-table.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { type Column, Empty } from '../../ui/table.tsx';
import { Faults } from './field-errors.tsx';

interface PrincipalLinkProps {
  /** The principal ID; null if the record has none. */
  readonly id: number | null;
  /** The error code of the record; null if it was applied. */
  readonly code: string | null;
}

/** A principal ID, linked to its page unless the principal does not exist. */
export function PrincipalLink({ id, code }: PrincipalLinkProps) {
  if (id === null || code === 'PRINCIPAL_NOT_FOUND') return id ?? '—';
  return (
    <Anchor component={Link} href={`/principals/${id}`} size="sm" underline="always">
      {id}
    </Anchor>
  );
}

interface RetryKitProps {
  readonly kit: UseMutationResult<FailedRecord[], Error, void>;
  /** The ID of the call or the job, used in the file name. */
  readonly id: string;
}

/** Downloads the failed records as a JSON file. */
export function DownloadFailedRecords({ kit, id }: RetryKitProps) {
  const messages = useResultMessages();
  const say = useNotice();

  function download() {
    kit.mutate(undefined, {
      onSuccess: (records) => {
        saveFile(`retry-kit-${id}.json`, [JSON.stringify(records, null, 2)], 'application/json');
        say(messages.kit.saved);
      },
    });
  }

  return (
    <Tooltip label={messages.kit.hint} multiline maw={320}>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="download" size={14} />}
        loading={kit.isPending}
        onClick={download}
      >
        {messages.kit.action}
      </Button>
    </Tooltip>
  );
}

/** A call or a job, with the zero-based index of the record of each tuple on the page. */
interface WithPositions {
  readonly Positions: readonly number[];
}

interface TuplesProps<About extends WithPositions> {
  readonly list: UseQueryResult<Page<Tuple, About>>;
  readonly place: Place;
  readonly onPage: (page: number) => void;
  readonly failed: boolean;
  readonly onFailed: (failed: boolean) => void;
  /** The mutation that reads the failed records; null if there are none. */
  readonly kit: UseMutationResult<FailedRecord[], Error, void> | null;
  readonly id: string;
}

interface Row {
  readonly tuple: Tuple;
  /** The zero-based index of the record in the request. */
  readonly position: number;
}

/** The results of the records of a call or a job, in pages. */
export function Tuples<About extends WithPositions>(props: TuplesProps<About>) {
  const { list, place, onPage, failed, onFailed, kit, id } = props;
  const { tuples, failedOnly } = useResultMessages();
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
  const page = data && {
    ...data,
    records: data.records.map((tuple, n) => ({ tuple, position: data.record.Positions[n] ?? n })),
  };
  const actions = (
    <Group gap="md">
      <FailedOnly label={failedOnly} failed={failed} onFailed={onFailed} />
      {kit && <DownloadFailedRecords kit={kit} id={id} />}
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
        list={{ data: page, error: list.error, refetch: list.refetch }}
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
  const { tuples } = useResultMessages();
  return <Badge color={applied ? 'teal' : 'red'}>{applied ? tuples.applied : tuples.notApplied}</Badge>;
}
