import { type AuditRow, type Principal, type UserOfPrincipal, userFields } from '@anagrafe/client';
import { Button, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useCommonMessages, usePrincipalsMessages } from '../../i18n/language.tsx';
import { ActionsMenu, CreateButton } from '../../ui/actions-menu.tsx';
import { DetailPage, type Fact } from '../../ui/detail-page.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { Search, useSearchTerm } from '../../ui/filters.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import { NotFound } from '../../ui/page.tsx';
import { type Column, Note } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { useDescribeAuditRow } from '../audit/describe-audit-row.ts';
import { useAuditLog } from '../audit/queries.ts';
import { useActorName } from '../clients/queries.ts';
import { StateBadge, SwitchPrincipal, SwitchUser } from './principal-dialogs.tsx';
import { nameOf, principalFieldNames, usePrincipal, useUsers } from './queries.ts';
import { Register, Reset } from './user-dialogs.tsx';

const userFieldNames = Object.keys(userFields) as (keyof typeof userFields)[];

/** Replaces the page if no principal has the ID in the URL. */
export function PrincipalNotFound() {
  const { missing, all } = usePrincipalsMessages();
  return <NotFound title={missing.title} text={missing.text} back={{ href: '/principals', name: all }} />;
}

/** `/console/principals/12`: the fields of a principal, its users and its audit log. */
export function OnePrincipal({ id }: { id: number }) {
  const messages = usePrincipalsMessages();
  const query = usePrincipal(id);
  const { data: principal } = query;
  const [dialog, open] = useDialog();
  const factsOf = useFacts();
  if (principal === null) return <PrincipalNotFound />;
  const isActive = principal?.State !== 'disabled';
  const actions = (
    <>
      <Button
        variant="default"
        disabled={!principal}
        onClick={() =>
          principal && open((close) => <SwitchPrincipal principal={principal} onClose={close} />)
        }
        {...(principal && isActive && { c: 'var(--mantine-color-error)' })}
      >
        {messages.turn[isActive ? 'disabled' : 'active'].action}
      </Button>
      <CreateButton onClick={() => open((close) => <Register principalId={id} onClose={close} />)}>
        {messages.register.action}
      </CreateButton>
    </>
  );
  return (
    <DetailPage
      title={principal ? nameOf(principal) : `#${id}`}
      back={{ href: '/principals', name: messages.all }}
      actions={actions}
      query={query}
      factsTitle={messages.details.title}
      expectedFacts={8}
      facts={principal && factsOf(principal)}
    >
      <Users id={id} isEmpty={principal?.UsersCount === 0} />
      <History id={id} users={principal?.Users ?? []} />
      {dialog}
    </DetailPage>
  );
}

/** Returns a function that lists the fields of a principal without those that are null. */
function useFacts(): (principal: Principal) => readonly Fact[] {
  const { fields, details } = usePrincipalsMessages();
  const { number } = useFormats();
  return (principal) => {
    const facts: readonly Fact[] = [
      [details.state, <StateBadge key="state" of="principal" state={principal.State} />],
      [details.id, principal.ID],
      ...principalFieldNames.map((field): Fact => [fields[field], principal[field]]),
      [details.users, number(principal.UsersCount)],
      [details.created, <Moment key="created" at={principal.CreatedAt} />],
      [details.updated, <Moment key="updated" at={principal.UpdatedAt} />],
    ];
    return facts.filter(([, value]) => value !== null);
  };
}

function Users({ id, isEmpty }: { id: number; isEmpty: boolean }) {
  const { users: messages, userFields: userLabels, turn, reset } = usePrincipalsMessages();
  const { columns: names } = messages;
  const { never } = useCommonMessages();
  const search = useSearchTerm();
  const list = useUsers(id, search.term);
  const [dialog, open] = useDialog();
  const actionsOf = (user: UserOfPrincipal) => [
    { name: reset.submit, onChoose: () => open((close) => <Reset user={user} onClose={close} />) },
    {
      name: turn[user.State === 'active' ? 'disabled' : 'active'].action,
      isDestructive: user.State === 'active',
      onChoose: () => open((close) => <SwitchUser user={user} onClose={close} />),
    },
  ];
  const columns: readonly Column<UserOfPrincipal>[] = [
    {
      name: names.username,
      card: 'title',
      cell: ({ Username, ID }) => (
        <>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {Username}
          </Text>
          <Note>{messages.id(ID)}</Note>
        </>
      ),
    },
    ...userFieldNames.map((field) => ({
      name: userLabels[field],
      ...(field === 'Email' && { card: 'full' as const }),
      cell: (user: UserOfPrincipal) => user[field] ?? '—',
    })),
    { name: names.state, cell: ({ State }) => <StateBadge of="user" state={State} /> },
    {
      name: names.lastLogin,
      cell: ({ LastLoginAt }) => (LastLoginAt === null ? never : <Moment at={LastLoginAt} />),
    },
    {
      name: names.passwordChanged,
      cell: ({ PasswordChangedAt }) => <Moment at={PasswordChangedAt} />,
    },
    {
      name: names.actions,
      quiet: true,
      numeric: true,
      cell: (user) => <ActionsMenu label={messages.actionsOf(user.Username)} actions={actionsOf(user)} />,
    },
  ];
  return (
    <ListSection
      title={messages.title}
      actions={
        <Search
          label={messages.search}
          placeholder={messages.searchHint}
          search={search}
          busy={list.isPlaceholderData}
        />
      }
      caption={messages.title}
      columns={columns}
      list={list}
      keyOf={({ ID }) => ID}
      empty={isEmpty ? messages.empty : messages.notFound}
    >
      {dialog}
    </ListSection>
  );
}

function History({ id, users }: { id: number; users: Principal['Users'] }) {
  const { history: messages } = usePrincipalsMessages();
  const [reads, setReads] = useState(false);
  const usernames = new Map(users.map(({ ID, Username }) => [ID, Username]));
  const describeRow = useDescribeAuditRow(usernames);
  const actorName = useActorName(usernames);
  const columns: readonly Column<AuditRow>[] = [
    { name: messages.at, cell: ({ At }) => <Moment at={At} /> },
    { name: messages.what, card: 'title', cell: describeRow },
    { name: messages.who, cell: actorName },
    { name: messages.address, cell: ({ Address }) => Address ?? '—' },
  ];
  return (
    <ListSection
      title={messages.title}
      actions={
        <Switch
          label={messages.withReads}
          checked={reads}
          onChange={(event) => setReads(event.currentTarget.checked)}
        />
      }
      caption={messages.title}
      columns={columns}
      list={useAuditLog({ principal: id, reads, pageSize: 20 })}
      keyOf={({ Position }) => Position}
      empty={messages.empty}
    />
  );
}
