import type { Principal } from '@anagrafe/client';
import { Anchor, Group } from '@mantine/core';
import { Link } from 'wouter';
import { useFormats } from '../../language/formats.ts';
import { Moment } from '../../parts/moment.tsx';
import { nameOf } from '../../parts/principal-name.ts';
import type { Column } from '../../parts/table.tsx';
import { StateBadge } from './state-badge.tsx';
import { useWords } from './words.ts';

/** What the list shows of a principal. */
export function useColumns(): readonly Column<Principal>[] {
  const { columns } = useWords();
  const { number } = useFormats();
  return [
    {
      name: columns.name,
      cell: (principal) => (
        <Group gap="xs">
          <Anchor component={Link} href={`/principals/${principal.ID}`} fw={600} size="sm">
            {nameOf(principal)}
          </Anchor>
          {principal.State === 'disabled' && <StateBadge of="principal" state="disabled" />}
        </Group>
      ),
    },
    { name: columns.id, wide: true, numeric: true, cell: ({ ID }) => ID },
    { name: columns.externalKey, wide: true, cell: ({ ExternalKey }) => ExternalKey ?? '—' },
    { name: columns.vatnumber, wide: true, cell: ({ Vatnumber }) => Vatnumber ?? '—' },
    { name: columns.users, numeric: true, cell: ({ UsersCount }) => number(UsersCount) },
    { name: columns.updated, wide: true, cell: ({ UpdatedAt }) => <Moment at={UpdatedAt} /> },
  ];
}
