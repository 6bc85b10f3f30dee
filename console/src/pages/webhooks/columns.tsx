import type { Webhook } from '@anagrafe/client';
import { ActionIcon, Anchor, Menu } from '@mantine/core';
import { Link } from 'wouter';
import { Icon } from '../../parts/icon.tsx';
import { Moment } from '../../parts/moment.tsx';
import type { Column } from '../../parts/table.tsx';
import { State } from './state.tsx';
import { Types } from './types-told.tsx';
import type { Act } from './webhooks.tsx';
import { useWords } from './words.ts';

interface Doing {
  readonly onAct: (webhook: Webhook, act: Act) => void;
  readonly onEnable: (webhook: Webhook, enabled: boolean) => void;
}

/** What the list shows of a webhook. */
export function useColumns(doing: Doing): readonly Column<Webhook>[] {
  const { columns, granularity } = useWords();
  return [
    {
      name: columns.url,
      cell: ({ ID, URL }) => (
        <Anchor
          component={Link}
          href={`/webhooks/${ID}`}
          size="sm"
          fw={600}
          style={{ overflowWrap: 'anywhere' }}
        >
          {URL}
        </Anchor>
      ),
    },
    { name: columns.state, cell: (webhook) => <State webhook={webhook} /> },
    { name: columns.types, wide: true, cell: ({ Types: types }) => <Types types={types} /> },
    {
      name: columns.granularity,
      wide: true,
      cell: ({ Granularity }) => granularity[Granularity],
    },
    { name: columns.created, wide: true, cell: ({ CreatedAt }) => <Moment at={CreatedAt} /> },
    {
      name: columns.actions,
      quiet: true,
      numeric: true,
      cell: (webhook) => <Actions webhook={webhook} {...doing} />,
    },
  ];
}

function Actions({ webhook, onAct, onEnable }: Doing & { webhook: Webhook }) {
  const words = useWords();
  const disabled = webhook.DisabledAt !== null;
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" c="inherit" aria-label={words.actionsOf(webhook.URL)}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} href={`/webhooks/${webhook.ID}`}>
          {words.deliveries}
        </Menu.Item>
        <Menu.Item onClick={() => onAct(webhook, 'try')}>{words.test}</Menu.Item>
        <Menu.Item onClick={() => onAct(webhook, 'edit')}>{words.edit}</Menu.Item>
        <Menu.Item onClick={() => onAct(webhook, 'rotate')}>{words.rotate}</Menu.Item>
        <Menu.Item onClick={() => onEnable(webhook, disabled)}>
          {disabled ? words.enable : words.disable}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item c="var(--mantine-color-error)" onClick={() => onAct(webhook, 'remove')}>
          {words.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
