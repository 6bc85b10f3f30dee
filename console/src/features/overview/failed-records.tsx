import type { Failure } from '@anagrafe/client';
import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useOverviewMessages, useResultMessages } from '../../i18n/messages.ts';
import { Moment } from '../../ui/moment.tsx';
import { Surface } from '../../ui/page.tsx';
import { PagedTable, usePageNumber } from '../../ui/paged-table.tsx';
import { type Column, Empty } from '../../ui/table.tsx';
import { useFieldLabel } from '../results/field-errors.tsx';
import { PrincipalLink } from '../results/results-table.tsx';
import { useFailures } from './queries.ts';

const pageSize = 8;

/** The latest failed records, each with its first field error. */
export function Failures() {
  const { failures } = useOverviewMessages();
  const { operation } = useResultMessages();
  const [place, goTo] = usePageNumber(pageSize);
  const list = useFailures(place);
  const columns: readonly Column<Failure>[] = [
    { name: failures.at, cell: ({ At }) => <Moment at={At} /> },
    {
      name: failures.operation,
      cell: ({ Operation, CallID, JobID }) => (
        <Anchor
          component={Link}
          href={`/${JobID ? 'jobs' : 'calls'}/${CallID}?failed=true`}
          size="sm"
          underline="always"
        >
          {operation[Operation]}
        </Anchor>
      ),
    },
    {
      name: failures.principal,
      wide: true,
      cell: ({ ID, Code }) => <PrincipalLink id={ID} code={Code} />,
    },
    { name: failures.reason, cell: (failure) => <Reason failure={failure} /> },
  ];
  return (
    <Surface title={failures.title} flush>
      <PagedTable
        caption={failures.caption}
        columns={columns}
        list={list}
        place={place}
        onPage={goTo}
        keyOf={({ CallID, Position }) => `${CallID} ${Position}`}
        empty={<Empty title={failures.none} hint={failures.noneHint} />}
      />
    </Surface>
  );
}

/** Shows the first field error, which is more specific than the message of the record. */
function Reason({ failure }: { failure: Failure }) {
  const { failures } = useOverviewMessages();
  const { number } = useFormats();
  const labelOf = useFieldLabel();
  const [[field, [error] = []] = []] = Object.entries(failure.Faults);
  const others = failure.FaultsCount - 1;
  return (
    <>
      <Text size="sm">{error?.message ?? failure.Message}</Text>
      <Text size="xs" c="dimmed">
        {[error?.code ?? failure.Code, field && labelOf(field), others > 0 && failures.more(number(others))]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </>
  );
}
