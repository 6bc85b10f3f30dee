import type { CompletedCall } from '@anagrafe/client';
import { Anchor, Text } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useCallsMessages, useResultMessages } from '../../i18n/messages.ts';
import { Moment } from '../../ui/moment.tsx';
import { Page, TableFrame } from '../../ui/page.tsx';
import { FailedOnly, PagedTable, useFailedOnly, usePageNumber } from '../../ui/paged-table.tsx';
import { type Column, Empty } from '../../ui/table.tsx';
import { useActorName } from '../clients/actor-name.ts';
import { OneCall } from './call-page.tsx';
import { useCalls } from './queries.ts';

/** Columns of the calls table. */
export function useColumns(): readonly Column<CompletedCall>[] {
  const { columns, milliseconds } = useCallsMessages();
  const { operation } = useResultMessages();
  const { number } = useFormats();
  const actorName = useActorName();
  return [
    { name: columns.at, cell: ({ At }) => <Moment at={At} /> },
    {
      name: columns.call,
      cell: ({ CallID, Operation }) =>
        CallID === null ? (
          operation[Operation]
        ) : (
          <Anchor component={Link} href={`/calls/${CallID}`} size="sm" fw={600}>
            {operation[Operation]} · {CallID.slice(0, 8)}
          </Anchor>
        ),
    },
    { name: columns.author, wide: true, cell: actorName },
    { name: columns.records, wide: true, numeric: true, cell: ({ Records }) => number(Records) },
    {
      name: columns.failed,
      numeric: true,
      cell: ({ RecordsFailed }) => (
        <Text span size="sm" {...(RecordsFailed > 0 && { c: 'var(--mantine-color-error)', fw: 600 })}>
          {number(RecordsFailed)}
        </Text>
      ),
    },
    { name: columns.users, wide: true, numeric: true, cell: ({ UsersApplied }) => number(UsersApplied) },
    {
      name: columns.took,
      wide: true,
      numeric: true,
      cell: ({ Milliseconds }) => milliseconds(number(Milliseconds)),
    },
  ];
}

/** `/console/calls`: the list of synchronous calls. `/console/calls/:id`: one call. */
export function Calls() {
  const { id } = useParams<{ id?: string }>();
  return id ? <OneCall id={id} /> : <AllCalls />;
}

function AllCalls() {
  const messages = useCallsMessages();
  const [place, goTo] = usePageNumber();
  const [failed, chooseFailed] = useFailedOnly();
  const list = useCalls(place, failed);
  const { title, hint } = failed ? messages.emptyFailed : messages.empty;
  const filter = <FailedOnly label={messages.failedOnly} failed={failed} onFailed={chooseFailed} />;
  return (
    <Page title={messages.title} intro={messages.intro} actions={filter}>
      <TableFrame>
        <PagedTable
          caption={messages.caption}
          columns={useColumns()}
          list={list}
          place={place}
          onPage={goTo}
          keyOf={({ CallID, At, RequestId }) => CallID ?? `${At} ${RequestId}`}
          empty={<Empty title={title} hint={hint} />}
        />
      </TableFrame>
    </Page>
  );
}
