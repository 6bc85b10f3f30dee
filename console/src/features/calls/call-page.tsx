import type { CompletedCall } from '@anagrafe/client';
import { useFormats } from '../../i18n/formats.ts';
import { useCallsMessages, useResultMessages } from '../../i18n/messages.ts';
import { Facts } from '../../ui/facts.tsx';
import { LoadingOrError } from '../../ui/loading-or-error.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Page, Surface } from '../../ui/page.tsx';
import { useFailedOnly, usePageNumber } from '../../ui/paged-table.tsx';
import { useActorName } from '../clients/actor-name.ts';
import { Tuples } from '../results/results-table.tsx';
import { useCall, useFailedCallRecords } from './queries.ts';

/** Page of one completed call with the results of its records. */
export function OneCall({ id }: { id: string }) {
  const messages = useCallsMessages();
  const [place, goTo] = usePageNumber(50);
  const [failed, chooseFailed] = useFailedOnly();
  const list = useCall(id, place, failed);
  const failedRecords = useFailedCallRecords(id);
  const call = list.data?.record;
  return (
    <Page title={messages.one(id.slice(0, 8))} back={{ href: '/calls', name: messages.all }}>
      {!call && <LoadingOrError list={list} />}
      {call && (
        <>
          <Figures call={call} />
          <Tuples
            id={id}
            list={list}
            place={place}
            onPage={goTo}
            failed={failed}
            onFailed={chooseFailed}
            kit={call.RecordsFailed > 0 ? failedRecords : null}
          />
        </>
      )}
    </Page>
  );
}

function Figures({ call }: { call: CompletedCall }) {
  const { figures, facts, milliseconds } = useCallsMessages();
  const { operation } = useResultMessages();
  const { number } = useFormats();
  const actorName = useActorName();
  return (
    <Surface title={figures}>
      <Facts
        facts={[
          [facts.at, <Moment key="at" at={call.At} />],
          [facts.operation, operation[call.Operation]],
          [facts.author, actorName(call)],
          [facts.address, call.Address ?? '—'],
          [facts.records, number(call.Records)],
          [facts.failed, number(call.RecordsFailed)],
          [facts.users, number(call.Users)],
          [facts.usersApplied, number(call.UsersApplied)],
          [facts.took, milliseconds(number(call.Milliseconds))],
          [facts.request, call.RequestId ?? '—'],
          [facts.id, call.CallID ?? '—'],
        ]}
      />
    </Surface>
  );
}
