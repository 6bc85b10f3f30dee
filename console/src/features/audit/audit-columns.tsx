import type { AuditRow } from '@anagrafe/client';
import { Box, Code, Text } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useAuditMessages } from '../../i18n/language.tsx';
import { wrapped } from '../../ui/copy.tsx';
import { Facts } from '../../ui/detail-page.tsx';
import { CellLink, type Column } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { useActorName } from '../clients/queries.ts';
import classes from './audit-details.module.css';
import { ChangedValues } from './changed-values.tsx';
import { useDescribeAuditRow } from './describe-audit-row.ts';

/** Maximum number of user IDs listed per row; one audit row may contain 100,000. */
const userIdsShown = 20;

function Details({ row }: { row: AuditRow }) {
  const messages = useAuditMessages();
  const { moment, number } = useFormats();
  const formatIds = (ids: readonly number[]) => {
    const first = ids.slice(0, userIdsShown).join(', ');
    const others = ids.length - userIdsShown;
    return others > 0 ? `${first} ${messages.others(number(others))}` : first;
  };
  return (
    <details className={classes.details}>
      <Text component="summary" size="xs" c="dimmed">
        {messages.details}
      </Text>
      <Box mt="xs">
        <Facts
          facts={[
            [messages.columns.position, row.Position],
            [messages.columns.at, moment(new Date(row.At))],
            [messages.detail.action, row.Action],
            [messages.detail.entry, row.ID],
            row.Address !== null && [messages.detail.address, row.Address],
            row.RequestId !== null && [messages.detail.request, row.RequestId],
            row.CallID !== null && [messages.detail.call, row.CallID],
            row.Registered &&
              row.Registered.length > 0 && [messages.detail.registered, formatIds(row.Registered)],
            row.Reset && row.Reset.length > 0 && [messages.detail.reset, formatIds(row.Reset)],
            row.Deleted && row.Deleted.length > 0 && [messages.detail.deleted, formatIds(row.Deleted)],
            [messages.detail.hash, row.Hash],
          ]}
        />
        {row.Details && (
          <>
            <Text size="xs" c="dimmed" fw={600} mt="sm">
              {messages.detail.data}
            </Text>
            <Code block style={wrapped}>
              {JSON.stringify(row.Details, null, 2)}
            </Code>
          </>
        )}
      </Box>
    </details>
  );
}

const noUsernames: ReadonlyMap<number, string> = new Map();

export function useColumns(): readonly Column<AuditRow>[] {
  const { columns } = useAuditMessages();
  const { number } = useFormats();
  const actorName = useActorName();
  const describe = useDescribeAuditRow();
  const principalLink = ({ IRID }: AuditRow) =>
    IRID !== null && <CellLink href={`/principals/${IRID}`}>{IRID}</CellLink>;
  return [
    { name: columns.position, numeric: true, card: 'none', cell: ({ Position }) => number(Position) },
    { name: columns.at, cell: ({ At }) => <Moment at={At} /> },
    { name: columns.actor, cell: actorName },
    { name: columns.principal, cell: principalLink },
    {
      name: columns.action,
      card: 'title',
      cell: (row) => (
        <>
          {describe(row)}
          <ChangedValues row={row} usernames={noUsernames} />
          <Details row={row} />
        </>
      ),
    },
  ];
}
