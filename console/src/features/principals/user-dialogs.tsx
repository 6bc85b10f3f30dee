import { Alert, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { usePrincipalsMessages } from '../../i18n/messages.ts';
import { Dialog, FormButtons } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { ShowSecretOnce } from '../../ui/show-secret-once.tsx';
import { elsewhere, faultsOf, isBesideFields, sentenceAt, useFaultFocus } from './form-errors.ts';
import { PasswordField } from './password-field.tsx';
import type { UserActProps } from './principal-state.tsx';
import { type UserInput, useDryRun, useRegister, useReset } from './queries.ts';

interface ShowPasswordOnceProps {
  readonly username: string;
  readonly password: string;
  readonly onDone: () => void;
}

/** Shows a new password once, so that the administrator can pass it on to the user. */
export function ShowPasswordOnce({ username, password, onDone }: ShowPasswordOnceProps) {
  const { handover } = usePrincipalsMessages();
  const values = [
    { label: handover.username, value: username },
    { label: handover.password, value: password },
  ];
  return <ShowSecretOnce once={handover.once} values={values} done={handover.done} onDone={onDone} />;
}

const emptyInput: UserInput = { Username: '', Email: '', Password: '' };
const pathOf = (field: keyof UserInput) => `Users[0].${field}`;
const fieldPaths = [pathOf('Username'), pathOf('Email'), pathOf('Password')];

/** Registers a user. A dry run checks the input while it is typed. */
export function Register({ principalId, onClose }: { principalId: number; onClose: () => void }) {
  const { register: messages } = usePrincipalsMessages();
  const [input, setInput] = useState(emptyInput);
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const dryRun = useDryRun(principalId, input);
  const { mutate, data, variables, error, isPending, reset } = useRegister(principalId);
  const form = useFaultFocus(error);
  const fieldErrors = { ...dryRun.faults, ...faultsOf(error) };
  const registered = data && variables;

  function change(field: keyof UserInput, text: string) {
    setInput((before) => ({ ...before, [field]: text }));
    if (error) reset();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    setWasSubmitted(true);
    mutate(input);
  }

  /** Returns the error of a field; undefined for an empty field before the first submission. */
  const errorAt = (field: keyof UserInput) =>
    wasSubmitted || input[field] !== '' ? sentenceAt(fieldErrors, pathOf(field)) : undefined;
  const otherErrors = elsewhere(dryRun.faults, fieldPaths);
  return (
    <Dialog
      title={registered ? messages.done(registered.Username) : messages.title}
      opened
      onClose={onClose}
      lasting={registered !== undefined || isPending}
    >
      {registered ? (
        <ShowPasswordOnce username={registered.Username} password={registered.Password} onDone={onClose} />
      ) : (
        <form ref={form} onSubmit={submit} noValidate>
          <Stack>
            {otherErrors.length > 0 && (
              <Alert color="yellow" variant="light" role="status">
                {otherErrors.join(' ')}
              </Alert>
            )}
            <TextInput
              label={messages.username}
              value={input.Username}
              onChange={(event) => change('Username', event.currentTarget.value)}
              error={errorAt('Username')}
              readOnly={isPending}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              required
              withAsterisk={false}
              data-autofocus
            />
            <TextInput
              label={messages.email}
              type="email"
              value={input.Email}
              onChange={(event) => change('Email', event.currentTarget.value)}
              error={errorAt('Email')}
              readOnly={isPending}
              autoComplete="off"
            />
            <PasswordField
              value={input.Password}
              onChange={(password) => change('Password', password)}
              error={errorAt('Password')}
              busy={isPending}
              taken={dryRun.current && input.Password !== '' && !sentenceAt(fieldErrors, pathOf('Password'))}
            />
            {error && !isBesideFields(error, fieldPaths) && <Failure error={error} />}
            <FormButtons submit={messages.submit} busy={isPending} onCancel={onClose} />
          </Stack>
        </form>
      )}
    </Dialog>
  );
}

const passwordPath = 'Users[0].Password';

/** Resets the password of a user. A dry run checks the password while it is typed. */
export function Reset({ user, onClose }: UserActProps) {
  const { reset: messages } = usePrincipalsMessages();
  const [password, setPassword] = useState('');
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const input = useMemo(() => ({ ID: user.ID, Password: password }), [user.ID, password]);
  const dryRun = useDryRun(user.IRID, input);
  const { mutate, data, variables, error, isPending, reset } = useReset(user.IRID);
  const form = useFaultFocus(error);
  const passwordError = sentenceAt({ ...dryRun.faults, ...faultsOf(error) }, passwordPath);

  function submit(event: FormEvent) {
    event.preventDefault();
    setWasSubmitted(true);
    mutate(input);
  }

  return (
    <Dialog
      title={data ? messages.done(user.Username) : messages.title(user.Username)}
      opened
      onClose={onClose}
      lasting={data !== undefined || isPending}
    >
      {data && variables ? (
        <ShowPasswordOnce username={user.Username} password={variables.Password} onDone={onClose} />
      ) : (
        <form ref={form} onSubmit={submit} noValidate>
          <Stack>
            <Text>{messages.text}</Text>
            <PasswordField
              value={password}
              onChange={(next) => {
                setPassword(next);
                if (error) reset();
              }}
              busy={isPending}
              error={wasSubmitted || password !== '' ? passwordError : undefined}
              taken={dryRun.current && password !== '' && !passwordError}
              focused
            />
            {error && !isBesideFields(error, [passwordPath]) && <Failure error={error} />}
            <FormButtons submit={messages.submit} busy={isPending} onCancel={onClose} />
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
