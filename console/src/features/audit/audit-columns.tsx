import type { AuditRow } from '@anagrafe/client';
import { Box, Code, Text } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useAuditMessages } from '../../i18n/messages.ts';
import { Facts } from '../../ui/detail-page.tsx';
import { Moment } from '../../ui/moment.tsx';
import { CellLink, type Column, Note } from '../../ui/table.tsx';
import { useActorName } from '../clients/queries.ts';
import classes from './audit-details.module.css';
import { useDescribeAuditRow } from './describe-audit-row.ts';

/** Maximum number of user IDs listed per row; one audit row may contain 100,000. */
const userIdsShown = 20;

/** Collapsible section with all fields of an audit row. */
function Details({ row }: { row: AuditRow }) {
  const messages = useAuditMessages();
  const { moment } = useFormats();
  const formatIds = useFormatUserIds();
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
            [messages.detail.seal, row.Seal],
          ]}
        />
        {row.Details && (
          <>
            <Text size="xs" c="dimmed" fw={600} mt="sm">
              {messages.detail.noted}
            </Text>
            <Code block className={classes.noted ?? ''}>
              {JSON.stringify(row.Details, null, 2)}
            </Code>
          </>
        )}
      </Box>
    </details>
  );
}

function useFormatUserIds(): (ids: readonly number[]) => string {
  const { others } = useAuditMessages();
  const { number } = useFormats();
  return (ids) => {
    const first = ids.slice(0, userIdsShown).join(', ');
    return ids.length > userIdsShown ? `${first} ${others(number(ids.length - userIdsShown))}` : first;
  };
}

/** Columns of the audit log table. */
export function useColumns(): readonly Column<AuditRow>[] {
  const { columns, principal } = useAuditMessages();
  const { number } = useFormats();
  const actorName = useActorName();
  const describe = useDescribeAuditRow();
  const principalLink = ({ IRID }: AuditRow, isUnderlined = false) =>
    IRID !== null && (
      <CellLink href={`/principals/${IRID}`} isUnderlined={isUnderlined}>
        {principal(IRID)}
      </CellLink>
    );
  return [
    { name: columns.position, numeric: true, wide: true, cell: ({ Position }) => number(Position) },
    { name: columns.at, cell: ({ At }) => <Moment at={At} /> },
    { name: columns.author, wide: true, cell: actorName },
    { name: columns.about, wide: true, cell: (row) => principalLink(row) },
    {
      name: columns.what,
      cell: (row) => (
        <>
          {describe(row)}
          <Note phoneOnly>
            {actorName(row)} {principalLink(row, true)}
          </Note>
          <Details row={row} />
        </>
      ),
    },
  ];
}
