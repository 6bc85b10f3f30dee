import type { CompletedCall } from '@anagrafe/client';
import { useMutation } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useCallsMessages, useResultMessages } from '../../i18n/language.tsx';
import { DetailPage } from '../../ui/detail-page.tsx';
import { FailedOnly, useFailedOnly } from '../../ui/filters.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { usePaged } from '../../ui/paging.tsx';
import { CellLink, type Column } from '../../ui/table.tsx';
import { Moment, usePollInterval } from '../../ui/time.tsx';
import { useActorName } from '../clients/queries.ts';
import { FailedCount, Results } from '../results/results-table.tsx';
import { useAnagrafe, usePatientAnagrafe } from '../session/api-client.ts';

/** `/console/calls`: the list of synchronous calls. `/console/calls/:id`: one call. */
export function Calls() {
  const { id } = useParams<{ id?: string }>();
  return id ? <OneCall id={id} /> : <AllCalls />;
}

function AllCalls() {
  const messages = useCallsMessages();
  const { columns: names, milliseconds } = messages;
  const { operation } = useResultMessages();
  const { number } = useFormats();
  const actorName = useActorName();
  const [failed] = useFailedOnly();
  const columns: readonly Column<CompletedCall>[] = [
    { name: names.at, cell: ({ At }) => <Moment at={At} /> },
    {
      name: names.call,
      card: 'title',
      cell: ({ CallID, Operation }) =>
        CallID === null ? (
          operation[Operation]
        ) : (
          <CellLink href={`/calls/${CallID}`} isName>
            {operation[Operation]} · {CallID.slice(0, 8)}
          </CellLink>
        ),
    },
    { name: names.actor, cell: actorName },
    { name: names.records, numeric: true, cell: ({ Records }) => number(Records) },
    { name: names.failed, numeric: true, cell: (call) => <FailedCount of={call} /> },
    { name: names.users, card: 'none', numeric: true, cell: ({ UsersApplied }) => number(UsersApplied) },
    {
      name: names.took,
      card: 'none',
      numeric: true,
      cell: ({ Milliseconds }) => milliseconds(number(Milliseconds)),
    },
  ];
  return (
    <ListPage
      title={messages.title}
      intro={messages.intro}
      actions={<FailedOnly label={messages.failedOnly} />}
      caption={messages.caption}
      columns={columns}
      list={useCalls(failed)}
      keyOf={({ CallID, At, RequestId }) => CallID ?? `${At} ${RequestId}`}
      empty={failed ? messages.emptyFailed : messages.empty}
    />
  );
}

function OneCall({ id }: { id: string }) {
  const messages = useCallsMessages();
  const { facts } = messages;
  const { operation } = useResultMessages();
  const { number } = useFormats();
  const actorName = useActorName();
  const [failed] = useFailedOnly();
  const list = useCall(id, failed);
  const failedRecords = useFailedCallRecords(id);
  const call = list.data?.record;
  return (
    <DetailPage
      title={messages.one(id.slice(0, 8))}
      back={{ href: '/calls', name: messages.all }}
      query={list}
      factsTitle={messages.figures}
      expectedFacts={11}
      facts={
        call && [
          [facts.at, <Moment key="at" at={call.At} />],
          [facts.operation, operation[call.Operation]],
          [facts.actor, actorName(call)],
          [facts.address, call.Address ?? '—'],
          [facts.records, number(call.Records)],
          [facts.failed, number(call.RecordsFailed)],
          [facts.users, number(call.Users)],
          [facts.usersApplied, number(call.UsersApplied)],
          [facts.took, messages.milliseconds(number(call.Milliseconds))],
          [facts.request, call.RequestId ?? '—'],
          [facts.id, call.CallID ?? '—'],
        ]
      }
    >
      <Results id={id} list={list} failedRecords={call && call.RecordsFailed > 0 ? failedRecords : null} />
    </DetailPage>
  );
}

/** Polls one page of the synchronous calls, newest first. `failed` keeps only calls with failed records. */
function useCalls(failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged(
    ['calls', 'all', failed],
    ({ page, pageSize }, signal) => admin.calls({ pageSize, failed, signal }).page(page),
    { refetchInterval: usePollInterval(5_000) },
  );
}

/** Reads a call with one page of its tuples. `failed` keeps only the tuples of failed records. */
function useCall(id: string, failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged(['calls', id, failed], (place, signal) => admin.call(id, { ...place, failed, signal }), {
    pageSize: 50,
  });
}

function useFailedCallRecords(id: string) {
  const { admin } = usePatientAnagrafe();
  return useMutation({ mutationFn: () => admin.failedRecords(id) });
}
