import type { Principal, State, StateRecord } from '@anagrafe/client';
import { useSetState } from '../../api/principals.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useNotice } from '../../parts/notice.tsx';
import { nameOf } from '../../parts/principal-name.ts';
import type { UserActProps } from './user-act.ts';
import { useWords } from './words.ts';

const other = { active: 'disabled', disabled: 'active' } as const;

interface SwitchProps {
  readonly name: string;
  readonly next: State;
  /** What it means. */
  readonly text: string;
  readonly record: StateRecord;
  readonly onClose: () => void;
}

/** Disables what is active, and enables what is disabled, when that was confirmed. */
function Switch({ name, next, text, record, onClose }: SwitchProps) {
  const { turn } = useWords();
  const say = useNotice();
  const { mutate, error, isPending } = useSetState();
  const words = turn[next];
  return (
    <Confirm
      title={words.title(name)}
      text={text}
      action={words.action}
      gentle={next === 'active'}
      busy={isPending}
      error={error}
      onConfirm={() =>
        mutate(record, {
          onSuccess: () => {
            say(words.done(name));
            onClose();
          },
        })
      }
      onClose={onClose}
    />
  );
}

export function SwitchPrincipal({ principal, onClose }: { principal: Principal; onClose: () => void }) {
  const { turn } = useWords();
  const next = other[principal.State];
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
  const { turn } = useWords();
  const next = other[user.State];
  const record = { ID: user.IRID, Users: [{ ID: user.ID, State: next }] };
  return <Switch name={user.Username} next={next} text={turn[next].user} record={record} onClose={onClose} />;
}
