import type { ShownUserState, State, StateRecord, UserOfPrincipal } from '@anagrafe/client';
import { Badge } from '@mantine/core';
import { usePrincipalsMessages } from '../../i18n/language.tsx';
import { ConfirmDialog, useFinish } from '../../ui/dialog.tsx';
import { useSetState } from './queries.ts';

/** The badge of a state. `of` selects the label, because the Italian labels differ in gender. */
export function StateBadge(props: StateProps) {
  const { states } = usePrincipalsMessages();
  const look = props.state === 'disabled' ? { variant: 'light', color: 'red' } : { variant: 'default' };
  return (
    <Badge flex="none" {...look}>
      {props.of === 'user' ? states.user[props.state] : states.principal[props.state]}
    </Badge>
  );
}

type StateProps =
  | { readonly of: 'principal'; readonly state: State }
  | { readonly of: 'user'; readonly state: ShownUserState };

export const oppositeState = { active: 'disabled', invited: 'disabled', disabled: 'active' } as const;

interface SetStateProps {
  readonly of: 'principal' | 'user';
  readonly name: string;
  readonly next: State;
  readonly record: StateRecord;
  readonly onClose: () => void;
}

export function SetState({ of, name, next, record, onClose }: SetStateProps) {
  const messages = usePrincipalsMessages().setState[next];
  const finish = useFinish(onClose);
  const request = useSetState();
  return (
    <ConfirmDialog
      title={messages.title(name)}
      text={messages[of]}
      action={messages.action}
      harmless={next === 'active'}
      request={request}
      onConfirm={() => request.mutate(record, { onSuccess: () => finish(messages.done(name)) })}
      onClose={onClose}
    />
  );
}

export function SetUserState({ user, onClose }: { user: UserOfPrincipal; onClose: () => void }) {
  const next = oppositeState[user.State];
  const record = { ID: user.IRID, Users: [{ ID: user.ID, State: next }] };
  return <SetState of="user" name={user.Username} {...{ next, record, onClose }} />;
}
