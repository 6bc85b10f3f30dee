import type { CompletedCall } from '@anagrafe/client';
import { useCall, useCallKit } from '../../api/calls.ts';
import { useFailedOnly } from '../../api/failed-only.ts';
import { usePlace } from '../../api/paged.ts';
import { useFormats } from '../../language/formats.ts';
import { useAuthor } from '../../parts/author/author.ts';
import { Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { OnItsWay } from '../../parts/on-its-way.tsx';
import { Tuples } from '../../parts/outcome/tuples.tsx';
import { useOutcomeWords } from '../../parts/outcome/words.ts';
import { Page } from '../../parts/page.tsx';
import { Surface } from '../../parts/surface.tsx';
import { useWords } from './words.ts';

/** A call that was answered, and what became of its records. */
export function OneCall({ id }: { id: string }) {
  const words = useWords();
  const [place, goTo] = usePlace(50);
  const [failed, chooseFailed] = useFailedOnly();
  const list = useCall(id, place, failed);
  const kit = useCallKit(id);
  const call = list.data?.record;
  return (
    <Page title={words.one(id.slice(0, 8))} back={{ href: '/calls', name: words.all }}>
      {!call && <OnItsWay list={list} />}
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
            kit={call.RecordsFailed > 0 ? kit : null}
          />
        </>
      )}
    </Page>
  );
}

function Figures({ call }: { call: CompletedCall }) {
  const { figures, facts, milliseconds } = useWords();
  const { operation } = useOutcomeWords();
  const { number } = useFormats();
  const author = useAuthor();
  return (
    <Surface title={figures}>
      <Facts
        facts={[
          [facts.at, <Moment key="at" at={call.At} />],
          [facts.operation, operation[call.Operation]],
          [facts.author, author(call)],
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
