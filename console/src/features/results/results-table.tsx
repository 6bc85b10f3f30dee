import type { FailedRecord, Tuple } from '@anagrafe/client';
import { Badge, Box, Button, Group, Text } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useFormats } from '../../i18n/formats.ts';
import { useResultMessages } from '../../i18n/language.tsx';
import { saveFile } from '../../ui/copy.tsx';
import { FailedOnly, useFailedOnly } from '../../ui/filters.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import type { PagedList } from '../../ui/paging.tsx';
import type { Column } from '../../ui/table.tsx';
import { FieldErrorList, RecordSubject } from './field-errors.tsx';

type FailedRecordsRequest = UseMutationResult<FailedRecord[], Error, void>;

/** Downloads the failed records as a JSON file. `id` is the ID of the call or the job. */
function DownloadFailedRecords({ request, id }: { request: FailedRecordsRequest; id: string }) {
  const { failedFile } = useResultMessages();
  const notify = useNotice();

  function download() {
    request.mutate(undefined, {
      onSuccess: (records) => {
        saveFile(`failed-records-${id}.json`, [JSON.stringify(records, null, 2)], 'application/json');
        notify(failedFile.saved);
      },
    });
  }

  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon name="download" size={14} />}
      title={failedFile.hint}
      loading={request.isPending}
      onClick={download}
    >
      {failedFile.action}
    </Button>
  );
}

/** The number of failed records, in red unless it is zero. */
export function FailedCount({ of: { RecordsFailed } }: { of: { RecordsFailed: number } }) {
  const { number } = useFormats();
  return (
    <Text span size="sm" {...(RecordsFailed > 0 && { c: 'var(--mantine-color-error)', fw: 600 })}>
      {number(RecordsFailed)}
    </Text>
  );
}

interface ResultsProps {
  readonly list: PagedList<Tuple, { readonly Positions: readonly number[] }>;
  readonly failedRecords: FailedRecordsRequest | null;
  readonly id: string;
}

interface Row {
  readonly tuple: Tuple;
  /** The zero-based index of the record in the request. */
  readonly position: number;
}

export function Results({ list, failedRecords, id }: ResultsProps) {
  const { tuples, failedOnly } = useResultMessages();
  const { number } = useFormats();
  const [failed] = useFailedOnly();
  const columns: readonly Column<Row>[] = [
    { name: tuples.position, numeric: true, cell: ({ position }) => number(position + 1) },
    {
      name: tuples.principal,
      cell: ({ tuple: { Item1, Item2, Item6 } }) => (
        <RecordSubject id={Item1} code={Item2} externalKey={Item6.ExternalKey} username={Item6.Username} />
      ),
    },
    { name: tuples.outcome, card: 'title', cell: ({ tuple }) => <Outcome tuple={tuple} /> },
    {
      name: tuples.reason,
      card: 'full',
      cell: ({ tuple }) => !tuple.Item3 && <FieldErrorList tuple={tuple} />,
    },
  ];
  const positions = list.data?.record.Positions;
  const actions = (
    <Group gap="md">
      <FailedOnly label={failedOnly} />
      {failedRecords && <DownloadFailedRecords request={failedRecords} id={id} />}
    </Group>
  );
  return (
    <ListSection
      title={tuples.title}
      actions={actions}
      caption={tuples.caption}
      columns={columns}
      list={{ ...list, rows: list.rows?.map((tuple, n) => ({ tuple, position: positions?.[n] ?? n })) }}
      keyOf={({ position }) => position}
      empty={
        failed
          ? { title: tuples.noneFailed, hint: tuples.noneFailedHint }
          : { title: tuples.none, hint: tuples.noneHint }
      }
    >
      {failedRecords?.error && (
        <Box px="lg" pb="md">
          <Failure error={failedRecords.error} />
        </Box>
      )}
    </ListSection>
  );
}

function Outcome({ tuple: { Item2: code, Item3: isApplied } }: { tuple: Tuple }) {
  const { tuples } = useResultMessages();
  if (isApplied) return <Badge color="teal">{tuples.applied}</Badge>;
  if (code === 'CANCELLED') return <Badge color="gray">{tuples.cancelled}</Badge>;
  return <Badge color="red">{tuples.notApplied}</Badge>;
}
