import { Button } from '@mantine/core';
import { useState } from 'react';
import { useFailedOnly } from '../../api/failed-only.ts';
import { useOpened } from '../../api/opened.ts';
import { usePlace } from '../../api/paged.ts';
import { useDeliveries, useReplay } from '../../api/webhooks.ts';
import { useFormats } from '../../language/formats.ts';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FailedOnly } from '../../parts/failed-only.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useNotice } from '../../parts/notice.tsx';
import { OnItsWay } from '../../parts/on-its-way.tsx';
import { Page } from '../../parts/page.tsx';
import { PagedTable } from '../../parts/paged-table.tsx';
import { Surface } from '../../parts/surface.tsx';
import { useDeliveryColumns } from './delivery-columns.tsx';
import { OneDelivery } from './one-delivery.tsx';
import { State } from './state.tsx';
import { Try } from './try.tsx';
import { Types } from './types-told.tsx';
import { useWords } from './words.ts';

/** What one webhook was told, and what came back. */
export function OneWebhook({ id }: { id: number }) {
  const words = useWords();
  const { number } = useFormats();
  const say = useNotice();
  const [place, goTo] = usePlace();
  const [failed, chooseFailed] = useFailedOnly();
  const [opened, open] = useOpened();
  const [trying, setTrying] = useState(false);
  const list = useDeliveries(id, place, failed);
  const replay = useReplay(id);
  const webhook = list.data?.record;
  const enabled = webhook?.DisabledAt === null;

  function sendAgain(delivery: string | null) {
    replay.mutate(delivery, {
      onSuccess: (count) => {
        if (count === 0) say(words.list.noneGivenUp);
        else say(enabled ? words.list.sent(number(count)) : words.list.whenEnabled);
      },
    });
  }

  const columns = useDeliveryColumns(enabled, { onOpen: open, onAgain: sendAgain });
  const actions = (
    <>
      {webhook && (
        <Button variant="default" onClick={() => setTrying(true)}>
          {words.test}
        </Button>
      )}
      <Button variant="default" loading={replay.isPending} onClick={() => sendAgain(null)}>
        {words.list.allAgain}
      </Button>
    </>
  );
  const filter = <FailedOnly label={words.list.failedOnly} failed={failed} onFailed={chooseFailed} />;
  return (
    <Page title={words.one(id)} back={{ href: '/webhooks', name: words.all }} actions={actions}>
      {!webhook && <OnItsWay list={list} />}
      {replay.error && <Failure error={replay.error} title={words.list.notSent} />}
      {webhook && (
        <>
          <Surface title={words.figures}>
            <Facts
              facts={[
                [words.columns.url, webhook.URL],
                [words.columns.state, <State key="state" webhook={webhook} />],
                [words.columns.types, <Types key="types" types={webhook.Types} />],
                [words.columns.granularity, words.granularity[webhook.Granularity]],
                [words.columns.created, <Moment key="created" at={webhook.CreatedAt} />],
              ]}
            />
          </Surface>
          <Surface title={words.list.title} actions={filter} flush>
            <PagedTable
              caption={words.list.caption}
              columns={columns}
              list={list}
              place={place}
              onPage={goTo}
              keyOf={({ ID }) => ID}
              empty={
                failed ? (
                  <Empty title={words.list.noneFailed} hint={words.list.noneFailedHint} />
                ) : (
                  <Empty title={words.list.none} hint={words.list.noneHint} />
                )
              }
            />
          </Surface>
          {opened !== null && <OneDelivery webhook={webhook} id={opened} onClose={() => open(null)} />}
          {trying && <Try webhook={webhook} onClose={() => setTrying(false)} />}
        </>
      )}
    </Page>
  );
}
