import type { AuditRow } from '@anagrafe/client';
import type { ReactNode } from 'react';
import { usePrincipalsMessages } from '../../i18n/language.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import type { Column, EmptyProps } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { useActorName } from '../clients/queries.ts';
import { useDescribeAuditRow } from './describe-audit-row.ts';
import type { useAuditLog } from './queries.ts';

interface HistoryProps {
  readonly title: string;
  readonly list: ReturnType<typeof useAuditLog>;
  /** The names of users by their IDs; others are named by ID. */
  readonly usernames: ReadonlyMap<number, string>;
  /** Returns the part of a row that concerns the subject of the page. Default: the whole row. */
  readonly partOf?: (row: AuditRow) => AuditRow;
  readonly actions?: ReactNode;
  readonly empty: EmptyProps;
}

/** Returns true for a row of a caller that is not known, such as a failed sign-in. */
function isUnknown({ Actor, UserID }: AuditRow): boolean {
  return Actor === 'user' && UserID === null;
}

/** Rows of the audit log as sentences, newest first. */
export function History({ title, list, usernames, partOf = (row) => row, actions, empty }: HistoryProps) {
  const { history: messages } = usePrincipalsMessages();
  const describeRow = useDescribeAuditRow(usernames);
  const actorName = useActorName(usernames);
  const columns: readonly Column<AuditRow>[] = [
    { name: messages.at, cell: ({ At }) => <Moment at={At} /> },
    { name: messages.what, card: 'title', cell: (row) => describeRow(partOf(row)) },
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
      empty={empty}
    />
  );
}
