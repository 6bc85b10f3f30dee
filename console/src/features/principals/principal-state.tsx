import type { Principal, State, StateRecord, UserOfPrincipal } from '@anagrafe/client';
import { Badge } from '@mantine/core';
import { usePrincipalsMessages } from '../../i18n/messages.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { nameOf, useSetState } from './queries.ts';

/** The actions on a user, each with its own dialog. */
export type UserAct = 'reset' | 'state';

/** The props of a dialog for an action on one user. */
export interface UserActProps {
  readonly user: UserOfPrincipal;
  readonly onClose: () => void;
}

/** The badge of a state. `of` selects the label, because the Italian labels differ in gender. */
export function StateBadge({ of, state }: { of: 'principal' | 'user'; state: State }) {
  const { states } = usePrincipalsMessages();
  return (
    <Badge
      flex="none"
      {...(state === 'active' ? { variant: 'default' } : { variant: 'light', color: 'red' })}
    >
      {states[of][state]}
    </Badge>
  );
}

const opposite = { active: 'disabled', disabled: 'active' } as const;

interface SwitchProps {
  readonly name: string;
  readonly next: State;
  /** The effect of the change. */
  readonly text: string;
  readonly record: StateRecord;
  readonly onClose: () => void;
}

/** Sets the state of a principal or a user to `next` after a confirmation. */
function Switch({ name, next, text, record, onClose }: SwitchProps) {
  const { turn } = usePrincipalsMessages();
  const say = useNotice();
  const { mutate, error, isPending } = useSetState();
  const messages = turn[next];
  return (
    <Confirm
      title={messages.title(name)}
      text={text}
      action={messages.action}
      gentle={next === 'active'}
      busy={isPending}
      error={error}
      onConfirm={() =>
        mutate(record, {
          onSuccess: () => {
            say(messages.done(name));
            onClose();
          },
        })
      }
      onClose={onClose}
    />
  );
}

export function SwitchPrincipal({ principal, onClose }: { principal: Principal; onClose: () => void }) {
  const { turn } = usePrincipalsMessages();
  const next = opposite[principal.State];
  const record = { ID: principal.ID, State: next };
  return (
    <Switch
      name={nameOf(principal)}
      next={next}
      text={turn[next].principal}
      record={record}
      onClose={onClose}
    />
  );
}

export function SwitchUser({ user, onClose }: UserActProps) {
  const { turn } = usePrincipalsMessages();
  const next = opposite[user.State];
  const record = { ID: user.IRID, Users: [{ ID: user.ID, State: next }] };
  return <Switch name={user.Username} next={next} text={turn[next].user} record={record} onClose={onClose} />;
}
