import type { Failure } from '@anagrafe/client';
import { useFormats } from '../../i18n/formats.ts';
import { useOverviewMessages, useResultMessages } from '../../i18n/language.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import { usePaged } from '../../ui/paging.tsx';
import { CellLink, type Column, Note } from '../../ui/table.tsx';
import { Moment, usePollInterval } from '../../ui/time.tsx';
import { RecordSubject, useFieldLabel } from '../results/field-errors.tsx';
import { useAnagrafe } from '../session/api-client.ts';

export function useFailures() {
  const { admin } = useAnagrafe();
  return usePaged(
    ['failures'],
    ({ page, pageSize }, signal) => admin.failures({ pageSize, signal }).page(page),
    { pageSize: 8, refetchInterval: usePollInterval(10_000) },
  );
}

/** The latest failed records, each with its first field error. */
export function Failures({ list }: { list: ReturnType<typeof useFailures> }) {
  const { failures } = useOverviewMessages();
  const { operation } = useResultMessages();
  const columns: readonly Column<Failure>[] = [
    { name: failures.at, cell: ({ At }) => <Moment at={At} /> },
    {
      name: failures.operation,
      cell: ({ Operation, CallID, JobID }) => (
        <CellLink href={`/${JobID ? 'jobs' : 'calls'}/${CallID}?failed=true`} isUnderlined>
          {operation[Operation]}
        </CellLink>
      ),
    },
    {
      name: failures.principal,
      cell: ({ ID, Code, ExternalKey, Username }) => (
        <RecordSubject id={ID} code={Code} externalKey={ExternalKey} username={Username} />
      ),
    },
    { name: failures.reason, card: 'title', cell: (failure) => <Reason failure={failure} /> },
  ];
  return (
    <ListSection
      title={failures.title}
      caption={failures.caption}
      columns={columns}
      list={list}
      keyOf={({ CallID, Position }) => `${CallID} ${Position}`}
      empty={{ title: failures.none, hint: failures.noneHint }}
    />
  );
}

/** Shows the first field error, which is more specific than the message of the record. */
function Reason({ failure }: { failure: Failure }) {
  const { failures } = useOverviewMessages();
  const { number } = useFormats();
  const labelOf = useFieldLabel();
  const [[field, [error] = []] = []] = Object.entries(failure.FieldErrors);
  const others = failure.FieldErrorsCount - 1;
  return (
    <>
      {error?.message ?? failure.Message}
      <Note>
        {[error?.code ?? failure.Code, field && labelOf(field), others > 0 && failures.more(number(others))]
          .filter(Boolean)
          .join(' · ')}
      </Note>
    </>
  );
}
