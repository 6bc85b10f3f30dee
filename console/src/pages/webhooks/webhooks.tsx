import type { Webhook } from '@anagrafe/client';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useParams } from 'wouter';
import { useChangeWebhook, useWebhooks } from '../../api/webhooks.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useNotice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { Paper } from '../../parts/paper.tsx';
import { Table } from '../../parts/table.tsx';
import { useColumns } from './columns.tsx';
import { Create } from './create.tsx';
import { Edit } from './edit.tsx';
import { OneWebhook } from './one-webhook.tsx';
import { Remove } from './remove.tsx';
import { Rotate } from './rotate.tsx';
import { Try } from './try.tsx';
import { useWords } from './words.ts';

/** What is done to one webhook, in front of the list. */
export interface ActProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

const acts = { edit: Edit, try: Try, rotate: Rotate, remove: Remove };
export type Act = keyof typeof acts;

/** `/console/webhooks`: who is told what happens; below it, what one of them was told. */
export function Webhooks() {
  const { id } = useParams<{ id?: string }>();
  return id ? <OneWebhook id={Number(id)} /> : <AllWebhooks />;
}

function AllWebhooks() {
  const words = useWords();
  const say = useNotice();
  const webhooks = useWebhooks();
  const change = useChangeWebhook();
  const [creating, setCreating] = useState(false);
  const [chosen, setChosen] = useState<{ webhook: Webhook; act: Act } | null>(null);
  const Chosen = chosen && acts[chosen.act];
  const columns = useColumns({
    onAct: (webhook, act) => setChosen({ webhook, act }),
    onEnable: ({ ID: id }, Enabled) =>
      change.mutate(
        { id, Enabled },
        { onSuccess: () => say(Enabled ? words.wasEnabled : words.wasDisabled) },
      ),
  });

  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  const first = (
    <Button variant="default" mt="xs" onClick={() => setCreating(true)}>
      {words.empty.action}
    </Button>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      {change.error && <Failure error={change.error} title={words.notChanged} />}
      <Paper>
        <Table
          caption={words.caption}
          columns={columns}
          rows={webhooks.data}
          keyOf={({ ID }) => ID}
          error={webhooks.error}
          onRetry={webhooks.refetch}
          empty={<Empty title={words.empty.title} hint={words.empty.hint} action={first} />}
        />
      </Paper>
      {creating && <Create onClose={() => setCreating(false)} />}
      {chosen && Chosen && <Chosen webhook={chosen.webhook} onClose={() => setChosen(null)} />}
    </Page>
  );
}
