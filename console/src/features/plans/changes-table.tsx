import type { ColumnNamesByField, RowError } from '@anagrafe/importer';
import { Badge, List, NativeSelect, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useResultMessages } from '../../i18n/language.tsx';
import { LocalTable } from '../../ui/local-table.tsx';
import { CellLink, type Column, Empty, type EmptyProps, Note } from '../../ui/table.tsx';
import { usePrincipalName } from '../principals/queries.ts';
import { FieldChanges, type ShownFieldChange } from '../results/field-changes.tsx';
import { useUsername } from '../users/queries.ts';
import { ErrorsOfRow } from './side-by-side.tsx';

const colors = {
  insert: 'teal',
  register: 'teal',
  edit: 'indigo',
  restore: 'indigo',
  move: 'grape',
  disable: 'red',
  delete: 'red',
  keep: 'gray',
  fail: 'red',
} as const;

/** A change of a principal or user that a plan would make, or the reason why it leaves something as it is. */
export interface ShownChange {
  readonly key: string;
  /** The name of the principal; null to show the stored one. */
  readonly principal: string | null;
  /** Null if the principal does not exist yet. */
  readonly principalId: number | null;
  /** Null for a change of the principal itself. */
  readonly username: string | null;
  /** The ID of a user whose name is not known; the stored one is shown. */
  readonly userId?: number | null;
  readonly action: keyof typeof colors;
  readonly fields: readonly ShownFieldChange[];
  /** The fields that change and whose values are not shown, such as a password. */
  readonly hidden?: readonly string[];
  readonly notes?: readonly string[];
  /** The errors because of which a record is left out. */
  readonly errors?: readonly RowError[];
  /** The name of the principal that a user is moved from. */
  readonly from?: string;
  /** The line of the file whose record is left out. */
  readonly line?: number;
  /** True for a principal that the file does not have. */
  readonly isMissing?: boolean;
}

interface ChangesTableProps {
  readonly caption: string;
  readonly changes: readonly ShownChange[];
  readonly empty: EmptyProps;
  /** The names of the columns of the file, for errors. */
  readonly names?: ColumnNamesByField;
}

/** The changes of a plan, with the stored and the new value of each field. Actions of one kind can be shown alone. */
export function ChangesTable({ caption, changes, empty, names = noNames }: ChangesTableProps) {
  const { changes: messages } = useResultMessages();
  const { number } = useFormats();
  const [action, setAction] = useState<string>('');
  const counts = useMemo(() => {
    const found = new Map<ShownChange['action'], number>();
    for (const change of changes) found.set(change.action, (found.get(change.action) ?? 0) + 1);
    return found;
  }, [changes]);
  const shown = useMemo(
    () => (action === '' ? changes : changes.filter((change) => change.action === action)),
    [changes, action],
  );
  const columns: readonly Column<ShownChange>[] = [
    { name: messages.subject, card: 'title', cell: (change) => <Subject change={change} /> },
    {
      name: messages.action,
      card: 'half',
      cell: (change) => <Badge color={colors[change.action]}>{messages.actions[change.action]}</Badge>,
    },
    {
      name: messages.fields,
      card: 'plain',
      cell: (change) => <Details change={change} names={names} />,
    },
  ];
  return (
    <>
      {counts.size > 1 && (
        <NativeSelect
          aria-label={messages.filter}
          px="lg"
          pb="sm"
          maw={320}
          value={action}
          onChange={({ currentTarget: { value } }) => setAction(value)}
          data={[
            { value: '', label: messages.all(number(changes.length)) },
            ...[...counts].map(([value, count]) => ({
              value,
              label: `${messages.actions[value]} (${number(count)})`,
            })),
          ]}
        />
      )}
      <LocalTable
        key={action}
        caption={caption}
        columns={columns}
        rows={shown}
        keyOf={({ key }) => key}
        empty={<Empty {...empty} />}
      />
    </>
  );
}

const noNames: ColumnNamesByField = new Map();

function Details({ change, names }: { change: ShownChange; names: ColumnNamesByField }) {
  const { changes: messages, fields: labels } = useResultMessages();
  const { fields, hidden = [], notes = [], errors = [], from, isMissing = false } = change;
  const shown = [
    ...hidden.map((field) => labels[field] ?? field),
    ...(from === undefined ? [] : [messages.from(from)]),
    ...notes,
    ...(isMissing ? [messages.missing] : []),
  ];
  return (
    <>
      {fields.length > 0 && <FieldChanges changes={fields} />}
      <ErrorsOfRow errors={errors} names={names} />
      {shown.length > 0 && (
        <List size="sm" spacing={2}>
          {shown.map((note) => (
            <List.Item key={note}>{note}</List.Item>
          ))}
        </List>
      )}
    </>
  );
}

function Subject({ change }: { change: ShownChange }) {
  const { principal, principalId, username, userId = null, line } = change;
  const { changes: messages } = useResultMessages();
  const { number } = useFormats();
  const stored = usePrincipalName(principal === null ? principalId : null);
  const storedUser = useUsername(userId);
  const user = userId === null ? username : storedUser;
  const name = line === undefined ? (principal ?? stored) : messages.line(number(line));
  const linked =
    principalId === null ? name : <CellLink href={`/principals/${principalId}`}>{name}</CellLink>;
  return (
    <>
      <Text component="div" size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {user ?? linked}
      </Text>
      {user !== null && <Note>{linked}</Note>}
    </>
  );
}
