import { Badge, List, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages, useResultMessages } from '../../i18n/language.tsx';
import { Pager } from '../../ui/paging.tsx';
import { CellLink, type Column, Empty, Note, Table } from '../../ui/table.tsx';
import classes from './import.module.css';
import type { Plan, PlannedChange } from './plan-rows.ts';

const colors = { insert: 'teal', register: 'teal', edit: 'indigo' } as const;
const pageSize = 25;
/** A cell shows the beginning of a longer value. */
const shownLength = 200;

/** The changes that an import would make, with the stored and the new value of each field. */
export function PlanTable({ plan }: { plan: Plan }) {
  const { plan: messages } = useImportMessages();
  const { fields: labels } = useResultMessages();
  const { number } = useFormats();
  const [requestedPage, setRequestedPage] = useState(1);
  const { changes, counts } = plan;
  const totalPages = Math.max(1, Math.ceil(changes.length / pageSize));
  const page = Math.min(requestedPage, totalPages);
  const columns: readonly Column<PlannedChange>[] = [
    {
      name: messages.subject,
      card: 'title',
      cell: ({ principal, principalId, username }) => (
        <>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {username ?? principal}
          </Text>
          {username !== null && (
            <Note>
              {principalId === null ? (
                principal
              ) : (
                <CellLink href={`/principals/${principalId}`}>{principal}</CellLink>
              )}
            </Note>
          )}
        </>
      ),
    },
    {
      name: messages.action,
      cell: ({ action }) => <Badge color={colors[action]}>{messages.actions[action]}</Badge>,
    },
    {
      name: messages.changes,
      card: 'full',
      cell: ({ fields }) =>
        fields.length > 0 && (
          <List size="sm" spacing={2}>
            {fields.map(({ Field, From, To }) => (
              <List.Item key={Field}>
                <Text span size="sm" fw={600}>
                  {labels[Field] ?? Field}
                </Text>
                {': '}
                <Value of={From} kind="from" /> → <Value of={To} kind="to" />
              </List.Item>
            ))}
          </List>
        ),
    },
  ];
  return (
    <>
      <Stack gap={4} px="lg" py="md" className={classes.plan ?? ''}>
        <Title order={3} size="h5">
          {messages.title}
        </Title>
        <Text size="sm" fw={600}>
          {messages.summary({
            principalsInserted: number(counts.PrincipalsInserted),
            principalsUpdated: number(counts.PrincipalsUpdated),
            usersRegistered: number(counts.UsersRegistered),
            usersUpdated: number(counts.UsersUpdated),
            unchanged: number(counts.Unchanged),
          })}
        </Text>
        <Text size="sm" c="dimmed">
          {messages.hint}
        </Text>
      </Stack>
      <Table
        caption={messages.caption}
        columns={columns}
        rows={changes.slice((page - 1) * pageSize, page * pageSize)}
        keyOf={({ key }) => key}
        error={null}
        onRetry={() => {}}
        empty={<Empty title={messages.none} hint={messages.noneHint} />}
      />
      <Pager
        of={messages.caption}
        page={page}
        pageSize={pageSize}
        totalCount={changes.length}
        totalPages={totalPages}
        onPage={setRequestedPage}
      />
    </>
  );
}

/** The stored value of a field, struck through, or its new value. A missing value is named as such. */
function Value({ of, kind }: { of: unknown; kind: 'from' | 'to' }) {
  const { plan: messages } = useImportMessages();
  const text = of === null || of === '' ? null : typeof of === 'string' ? of : JSON.stringify(of);
  if (text === null) return <em>{messages.empty}</em>;
  const shown = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
  return kind === 'from' ? (
    <del className={classes.from}>{shown}</del>
  ) : (
    <ins className={classes.to}>{shown}</ins>
  );
}
