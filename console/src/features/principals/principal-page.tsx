import type { AuditRow, Principal } from '@anagrafe/client';
import { Anchor, Button, Skeleton, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useCommonMessages, usePrincipalsMessages } from '../../i18n/messages.ts';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Moment } from '../../ui/moment.tsx';
import { NewestFirstTable } from '../../ui/newest-first-table.tsx';
import { Page, Surface } from '../../ui/page.tsx';
import { type Column, Empty } from '../../ui/table.tsx';
import { useDescribeAuditRow } from '../audit/describe-audit-row.ts';
import { useAuditLog } from '../audit/queries.ts';
import { useActorName } from '../clients/actor-name.ts';
import { StateBadge, SwitchPrincipal } from './principal-state.tsx';
import { nameOf, usePrincipal } from './queries.ts';
import { Register } from './user-dialogs.tsx';
import { Users } from './users.tsx';

/** Replaces the page if no principal has the ID in the URL. */
export function PrincipalNotFound() {
  const { nobody: messages, all } = usePrincipalsMessages();
  return (
    <Page title={messages.title}>
      <Text>{messages.text}</Text>
      <Anchor component={Link} href="/principals">
        {all}
      </Anchor>
    </Page>
  );
}

/** The fields of a principal; null fields are left out. */
export function Details({ principal }: { principal: Principal }) {
  const { fields, details } = usePrincipalsMessages();
  const { number } = useFormats();
  const all: readonly Fact[] = [
    [details.state, <StateBadge key="state" of="principal" state={principal.State} />],
    [details.id, principal.ID],
    [fields.Denomination, principal.Denomination],
    [fields.Name, principal.Name],
    [fields.Surname, principal.Surname],
    [fields.ExternalKey, principal.ExternalKey],
    [fields.Vatnumber, principal.Vatnumber],
    [fields.Taxcode, principal.Taxcode],
    [fields.Email, principal.Email],
    [details.users, number(principal.UsersCount)],
    [details.created, <Moment key="created" at={principal.CreatedAt} />],
    [details.updated, <Moment key="updated" at={principal.UpdatedAt} />],
  ];
  return (
    <Surface title={details.title}>
      <Facts facts={all.filter(([, value]) => value !== null)} />
    </Surface>
  );
}

/** The audit log of a principal and its users, newest row first. */
export function History({ principal }: { principal: Principal }) {
  const { history: messages } = usePrincipalsMessages();
  const [reads, setReads] = useState(false);
  const list = useAuditLog({ principal: principal.ID, reads, pageSize: 20 });
  const usernames = new Map(principal.Users.map(({ ID, Username }) => [ID, Username]));
  const describeRow = useDescribeAuditRow(usernames);
  const actorName = useActorName(usernames);
  const columns: readonly Column<AuditRow>[] = [
    { name: messages.at, cell: ({ At }) => <Moment at={At} /> },
    {
      name: messages.what,
      cell: (row) => (
        <>
          {describeRow(row)}
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            {actorName(row)}
          </Text>
        </>
      ),
    },
    { name: messages.who, wide: true, cell: actorName },
    { name: messages.address, wide: true, cell: ({ Address }) => Address ?? '—' },
  ];
  const withReads = (
    <Switch
      label={messages.withReads}
      checked={reads}
      onChange={(event) => setReads(event.currentTarget.checked)}
    />
  );
  return (
    <Surface title={messages.title} actions={withReads} flush>
      <NewestFirstTable
        caption={messages.title}
        columns={columns}
        list={list}
        keyOf={({ Position }) => Position}
        empty={<Empty {...messages.empty} />}
      />
    </Surface>
  );
}

/** `/console/principals/12`: the fields of a principal, its users and its audit log. */
export function One({ id }: { id: number }) {
  const messages = usePrincipalsMessages();
  const { table, loading } = useCommonMessages();
  const { data: principal, error, refetch } = usePrincipal(id);
  const [act, setAct] = useState<'register' | 'state' | null>(null);
  const close = () => setAct(null);

  if (principal === null) return <PrincipalNotFound />;
  if (!principal)
    return error ? (
      <Failure error={error} title={table.failed} onRetry={refetch} />
    ) : (
      <Skeleton height={160} role="status" aria-label={loading} />
    );
  const isActive = principal.State === 'active';
  const actions = (
    <>
      <Button
        variant="default"
        onClick={() => setAct('state')}
        {...(isActive && { c: 'var(--mantine-color-error)' })}
      >
        {messages.turn[isActive ? 'disabled' : 'active'].action}
      </Button>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAct('register')}>
        {messages.register.title}
      </Button>
    </>
  );
  return (
    <Page title={nameOf(principal)} back={{ href: '/principals', name: messages.all }} actions={actions}>
      <Details principal={principal} />
      <Users principal={principal} />
      <History principal={principal} />
      {act === 'register' && <Register principalId={id} onClose={close} />}
      {act === 'state' && <SwitchPrincipal principal={principal} onClose={close} />}
    </Page>
  );
}
