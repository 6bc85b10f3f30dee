import { Stack, Text } from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { useReset, useTrial } from '../../api/users.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { useFaultFocus } from './fault-focus.ts';
import { faultsOf, isBesideFields, sentenceAt } from './faults.ts';
import { PasswordHandover } from './handover.tsx';
import { PasswordField } from './password-field.tsx';
import type { UserActProps } from './user-act.ts';
import { useWords } from './words.ts';

const place = 'Users[0].Password';

/** Gives a user a new password. */
export function Reset({ user, onClose }: UserActProps) {
  const { reset: words } = useWords();
  const [password, setPassword] = useState('');
  const [tried, setTried] = useState(false);
  const draft = useMemo(() => ({ ID: user.ID, Password: password }), [user.ID, password]);
  const trial = useTrial(user.IRID, draft);
  const { mutate, data, variables, error, isPending, reset } = useReset(user.IRID);
  const form = useFaultFocus(error);
  const fault = sentenceAt({ ...trial.faults, ...faultsOf(error) }, place);

  function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    mutate(draft);
  }

  return (
    <Dialog
      title={data ? words.done(user.Username) : words.title(user.Username)}
      opened
      onClose={onClose}
      lasting={data !== undefined || isPending}
    >
      {data && variables ? (
        <PasswordHandover username={user.Username} password={variables.Password} onDone={onClose} />
      ) : (
        <form ref={form} onSubmit={submit} noValidate>
          <Stack>
            <Text>{words.text}</Text>
            <PasswordField
              value={password}
              onChange={(next) => {
                setPassword(next);
                if (error) reset();
              }}
              busy={isPending}
              error={tried || password !== '' ? fault : undefined}
              taken={trial.current && password !== '' && !fault}
              focused
            />
            {error && !isBesideFields(error, [place]) && <Failure error={error} />}
            <FormButtons submit={words.submit} busy={isPending} onCancel={onClose} />
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
