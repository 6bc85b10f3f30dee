import type { Client } from '@anagrafe/client';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useClients } from '../../api/clients.ts';
import { useSession } from '../../api/session.ts';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Page } from '../../parts/page.tsx';
import { Paper } from '../../parts/paper.tsx';
import { Table } from '../../parts/table.tsx';
import { useColumns } from './columns.tsx';
import { Create } from './create.tsx';
import { Edit } from './edit.tsx';
import { Revoke } from './revoke.tsx';
import { Rotate } from './rotate.tsx';
import { useWords } from './words.ts';

export type Act = 'edit' | 'rotate' | 'revoke';

const acts = { edit: Edit, rotate: Rotate, revoke: Revoke };

/** `/console/clients`: who may call the service. */
export function Clients() {
  const words = useWords();
  const clients = useClients();
  const own = useSession().data?.Client?.PublicKey ?? null;
  const [creating, setCreating] = useState(false);
  const [chosen, setChosen] = useState<{ client: Client; act: Act } | null>(null);
  const columns = useColumns(own, (client, act) => setChosen({ client, act }));
  const Chosen = chosen && acts[chosen.act];

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
      <Paper>
        <Table
          caption={words.caption}
          columns={columns}
          rows={clients.data}
          keyOf={({ ID }) => ID}
          error={clients.error}
          onRetry={clients.refetch}
          empty={<Empty title={words.empty.title} hint={words.empty.hint} action={first} />}
        />
      </Paper>
      {creating && <Create onClose={() => setCreating(false)} />}
      {chosen && Chosen && (
        <Chosen
          client={chosen.client}
          own={chosen.client.PublicKey === own}
          onClose={() => setChosen(null)}
        />
      )}
    </Page>
  );
}
