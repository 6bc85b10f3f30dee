import type { Failure } from '@anagrafe/client';
import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useFailures } from '../../api/failures.ts';
import { usePlace } from '../../api/paged.ts';
import { useFormats } from '../../language/formats.ts';
import { Empty } from '../../parts/empty.tsx';
import { Moment } from '../../parts/moment.tsx';
import { usePlaceInWords } from '../../parts/outcome/place.ts';
import { PrincipalLink } from '../../parts/outcome/principal-link.tsx';
import { useOutcomeWords } from '../../parts/outcome/words.ts';
import { PagedTable } from '../../parts/paged-table.tsx';
import { Surface } from '../../parts/surface.tsx';
import type { Column } from '../../parts/table.tsx';
import { useWords } from './words.ts';

const shown = 8;

/** The records that were not applied last, each with its first reason. */
export function Failures() {
  const { failures } = useWords();
  const { operation } = useOutcomeWords();
  const [place, goTo] = usePlace(shown);
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

/** The first fault says more than the sentence about the record as a whole. */
function Reason({ failure }: { failure: Failure }) {
  const { failures } = useWords();
  const { number } = useFormats();
  const inWords = usePlaceInWords();
  const [[place, [fault] = []] = []] = Object.entries(failure.Faults);
  const others = failure.FaultsCount - 1;
  return (
    <>
      <Text size="sm">{fault?.message ?? failure.Message}</Text>
      <Text size="xs" c="dimmed">
        {[fault?.code ?? failure.Code, place && inWords(place), others > 0 && failures.more(number(others))]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </>
  );
}
