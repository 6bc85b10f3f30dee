import type { UserOfPrincipal } from '@anagrafe/client';
import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useInvitationsMessages, usePrincipalsMessages, useUsersMessages } from '../../i18n/language.tsx';
import { ActionsMenu } from '../../ui/actions-menu.tsx';
import type { OpenDialog } from '../../ui/dialog.tsx';
import type { Column } from '../../ui/table.tsx';
import { usePermitted } from '../session/session.ts';
import { InviteMany } from './invite-many.tsx';
import { MoveMany, ResetMany, SetStates } from './many-users.tsx';

/** The most users that can be selected. */
const selectedMax = 500;

export interface Selection {
  readonly users: readonly UserOfPrincipal[];
  has(user: UserOfPrincipal): boolean;
  /** Selects or deselects users; those beyond the maximum are not selected. */
  set(users: readonly UserOfPrincipal[], isSelected: boolean): void;
}

const none: ReadonlyMap<number, UserOfPrincipal> = new Map();

/** Keeps the selected users of a list over its pages. Another `list`, such as another search, has another selection. */
export function useSelection(list: string): Selection {
  const [kept, setKept] = useState({ list, users: none });
  const selected = kept.list === list ? kept.users : none;
  return {
    users: [...selected.values()],
    has: ({ ID }) => selected.has(ID),
    set(users, isSelected) {
      const next = new Map(selected);
      for (const user of users) {
        if (!isSelected) next.delete(user.ID);
        else if (next.size < selectedMax) next.set(user.ID, user);
      }
      setKept({ list, users: next });
    },
  };
}

/** Returns the column that selects users. */
export function useSelectionColumn(selection: Selection): Column<UserOfPrincipal> {
  const { select: messages } = useUsersMessages();
  return {
    name: messages.column,
    card: 'mark',
    quiet: true,
    cell: (user) => (
      <Checkbox
        aria-label={messages.one(user.Username)}
        checked={selection.has(user)}
        onChange={({ currentTarget }) => selection.set([user], currentTarget.checked)}
      />
    ),
  };
}

interface SelectionBarProps {
  readonly selection: Selection;
  /** The users on the page. */
  readonly shown: readonly UserOfPrincipal[];
  /** The number of users in the list, as a text; shown while none is selected. */
  readonly count: string;
  readonly open: OpenDialog;
}

/** Selects the users of the page, and offers the actions on the selected users. */
export function SelectionBar({ selection, shown, count, open }: SelectionBarProps) {
  const permitted = usePermitted();
  const { select: messages } = useUsersMessages();
  const { many: invite } = useInvitationsMessages();
  const { setState } = usePrincipalsMessages();
  const { number } = useFormats();
  const { users } = selection;
  const here = shown.filter(selection.has).length;
  const isNone = users.length === 0;
  /** Deselects the users on which an action was done. */
  const done = (changed: readonly UserOfPrincipal[]) => selection.set(changed, false);
  const openStates = (next: 'disabled' | 'active') => () =>
    open((close) => <SetStates users={users} next={next} onDone={done} onClose={close} />);
  const button = (
    <Button variant="default" size="xs" disabled={isNone}>
      {messages.actions}
    </Button>
  );
  return (
    <Group gap="sm" w="100%" mih={30}>
      {/* On a phone the text has a line of its own, which is reserved while the list loads. */}
      <Text size="sm" c="dimmed" role="status" mih={22} flex={{ base: '1 0 100%', sm: 1 }}>
        {isNone ? count : messages.count(users.length, number(users.length))}
        {users.length >= selectedMax && ` ${messages.most(number(selectedMax))}`}
      </Text>
      <Checkbox
        label={messages.page}
        checked={here > 0 && here === shown.length}
        indeterminate={here > 0 && here < shown.length}
        disabled={shown.length === 0}
        onChange={({ currentTarget }) => selection.set(shown, currentTarget.checked)}
      />
      <ActionsMenu
        label={messages.actions}
        target={button}
        actions={[
          { name: messages.clear, onChoose: () => selection.set(users, false) },
          ...permitted('users.invite', [
            {
              name: invite.action,
              onChoose: () => open((close) => <InviteMany users={users} onDone={done} onClose={close} />),
            },
          ]),
          ...permitted('passwords.reset', [
            {
              name: messages.reset.action,
              onChoose: () => open((close) => <ResetMany users={users} onDone={done} onClose={close} />),
            },
          ]),
          ...permitted('records.write', [
            {
              name: messages.move.action,
              onChoose: () => open((close) => <MoveMany users={users} onDone={done} onClose={close} />),
            },
          ]),
          ...permitted('states.write', [
            { name: setState.active.action, onChoose: openStates('active') },
            { name: setState.disabled.action, isDestructive: true, onChoose: openStates('disabled') },
          ]),
        ]}
      />
    </Group>
  );
}
