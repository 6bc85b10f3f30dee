import type { Principal } from '@anagrafe/client';
import { Button, Switch } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useInvitationsMessages, usePrincipalsMessages } from '../../i18n/language.tsx';
import { ActionsMenu, CreateButton } from '../../ui/actions-menu.tsx';
import { DetailPage, type Fact } from '../../ui/detail-page.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { Search, useSearchTerm } from '../../ui/filters.tsx';
import { IconButton } from '../../ui/icon.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import { NotFound } from '../../ui/page.tsx';
import { Moment } from '../../ui/time.tsx';
import { History } from '../audit/history.tsx';
import { useAuditLog } from '../audit/queries.ts';
import { InviteAll } from '../invitations/invite-all.tsx';
import { useMay, usePermitted } from '../session/session.ts';
import { nameOf } from '../users/find-principals.ts';
import { useUsersOf } from '../users/queries.ts';
import { useUserColumns } from '../users/user-columns.tsx';
import { Register } from '../users/user-dialogs.tsx';
import { StateBadge } from '../users/user-state.tsx';
import { useExport } from './export.tsx';
import { MergePrincipal } from './merge-principal.tsx';
import { DeletePrincipal, EditPrincipal, SetPrincipalState } from './principal-dialogs.tsx';
import { principalFieldNames, usePrincipal } from './queries.ts';

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
  const exporting = useExport(id);
  const may = useMay();
  const permitted = usePermitted();
  const { all: invite } = useInvitationsMessages();
  if (principal === null) return <PrincipalNotFound />;
  const openFor = (render: (principal: Principal, close: () => void) => ReactNode) => () =>
    principal && open((close) => render(principal, close));
  const isActive = principal?.State !== 'disabled';
  const actions = (
    <>
      {may('records.write') && (
        <>
          <CreateButton onClick={() => open((close) => <Register principalId={id} onClose={close} />)}>
            {messages.register.action}
          </CreateButton>
          <Button
            variant="default"
            disabled={!principal}
            onClick={openFor((one, close) => <EditPrincipal principal={one} onClose={close} />)}
          >
            {messages.edit.action}
          </Button>
        </>
      )}
      <ActionsMenu
        label={messages.more}
        target={<IconButton icon="more" label={messages.more} isOutlined />}
        actions={[
          ...permitted('records.export', exporting.actions),
          ...permitted('users.invite', [
            {
              name: invite.action,
              onChoose: () => open((close) => <InviteAll of={{ ID: id }} onClose={close} />),
            },
          ]),
          ...permitted('records.delete', [
            {
              name: messages.merge.action,
              onChoose: openFor((one, close) => <MergePrincipal principal={one} onClose={close} />),
            },
          ]),
          ...permitted('states.write', [
            {
              name: messages.setState[isActive ? 'disabled' : 'active'].action,
              isDestructive: isActive,
              onChoose: openFor((one, close) => <SetPrincipalState principal={one} onClose={close} />),
            },
          ]),
          ...permitted('records.delete', [
            {
              name: messages.remove.action,
              isDestructive: true,
              onChoose: openFor((one, close) => <DeletePrincipal principal={one} onClose={close} />),
            },
          ]),
        ]}
      />
    </>
  );
  return (
    <DetailPage
      title={principal ? nameOf(principal) : `#${id}`}
      back={{ href: '/principals', name: messages.all }}
      actions={actions}
      query={query}
      notice={exporting.failure}
      factsTitle={messages.details.title}
      expectedFacts={8}
      facts={principal && factsOf(principal)}
    >
      <Users id={id} isEmpty={principal?.UsersCount === 0} />
      {may('service.read') && <PrincipalHistory id={id} users={principal?.Users ?? []} />}
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
      ...principalFieldNames.map((field): Fact => {
        const value = principal[field];
        return [fields[field], typeof value === 'string' ? value : (value?.join(', ') ?? null)];
      }),
      [details.users, number(principal.UsersCount)],
      [details.created, <Moment key="created" at={principal.CreatedAt} />],
      [details.updated, <Moment key="updated" at={principal.UpdatedAt} />],
    ];
    return facts.filter(([, value]) => value !== null);
  };
}

function Users({ id, isEmpty }: { id: number; isEmpty: boolean }) {
  const { users: messages } = usePrincipalsMessages();
  const search = useSearchTerm();
  const list = useUsersOf(id, search.term);
  const [dialog, open] = useDialog();
  const columns = useUserColumns(open, { withPrincipal: false });
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

function PrincipalHistory({ id, users }: { id: number; users: Principal['Users'] }) {
  const { history: messages } = usePrincipalsMessages();
  const [reads, setReads] = useState(false);
  return (
    <History
      title={messages.title}
      list={useAuditLog({ principal: id, reads, pageSize: 20 })}
      usernames={new Map(users.map(({ ID, Username }) => [ID, Username]))}
      actions={
        <Switch
          label={messages.withReads}
          checked={reads}
          onChange={(event) => setReads(event.currentTarget.checked)}
        />
      }
      empty={messages.empty}
    />
  );
}
