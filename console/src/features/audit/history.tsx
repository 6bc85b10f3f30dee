import type { AuditRow } from '@anagrafe/client';
import type { ReactNode } from 'react';
import { usePrincipalsMessages } from '../../i18n/language.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import type { Column, EmptyProps } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { useActorName } from '../clients/queries.ts';
import { ChangedValues } from './changed-values.tsx';
import { useDescribeAuditRow } from './describe-audit-row.ts';
import type { useAuditLog } from './queries.ts';

interface HistoryProps {
  readonly title: string;
  readonly list: ReturnType<typeof useAuditLog>;
  /** The names of users by their IDs; others are named by ID. */
  readonly usernames: ReadonlyMap<number, string>;
  /** The user of the page. Only what concerns it is shown. */
  readonly user?: number;
  readonly actions?: ReactNode;
  readonly empty: EmptyProps;
}

/** Returns true for a row of a caller that is not known, such as a failed sign-in. */
function isUnknown({ Actor, UserID }: AuditRow): boolean {
  return Actor === 'user' && UserID === null;
}

/** Rows of the audit log as sentences, newest first. */
export function History({ title, list, usernames, user, actions, empty }: HistoryProps) {
  const { history: messages } = usePrincipalsMessages();
  const describeRow = useDescribeAuditRow(usernames);
  const actorName = useActorName(usernames);
  const columns: readonly Column<AuditRow>[] = [
    { name: messages.at, cell: ({ At }) => <Moment at={At} /> },
    {
      name: messages.what,
      card: 'title',
      cell: (row) => (
        <>
          {describeRow(user === undefined ? row : partOfUser(row, user))}
          <ChangedValues row={row} user={user} usernames={usernames} />
        </>
      ),
    },
    { name: messages.who, cell: (row) => (isUnknown(row) ? '—' : actorName(row)) },
    { name: messages.address, cell: ({ Address }) => Address ?? '—' },
  ];
  return (
    <ListSection
      title={title}
      actions={actions}
      caption={title}
      columns={columns}
      list={list}
      keyOf={({ Position }) => Position}
      expectedRows={3}
      empty={empty}
    />
  );
}

/** Removes the other users and the fields of the principal from a row: one import may register a thousand users. */
function partOfUser(row: AuditRow, id: number): AuditRow {
  const only = (ids: readonly number[] | null) => (ids?.includes(id) ? [id] : null);
  const { changed: _, state: __, ...details } = row.Details ?? {};
  // The lists of a row have one entry for each user, which begins with its ID.
  const ofUser = (list: unknown) =>
    Array.isArray(list) ? list.filter((entry) => (Array.isArray(entry) ? entry[0] === id : true)) : list;
  return {
    ...row,
    Action: row.Action === 'insert' ? 'update' : row.Action,
    Registered: only(row.Registered),
    Reset: only(row.Reset),
    Deleted: only(row.Deleted),
    Details: Object.fromEntries(Object.entries(details).map(([name, value]) => [name, ofUser(value)])),
  };
}
