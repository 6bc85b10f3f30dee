import { type NewPassword, type UserOfPrincipal, userFields } from '@anagrafe/client';
import { Alert, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { usePrincipalsMessages } from '../../i18n/language.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { type Secret, SecretDialog } from '../../ui/secret-dialog.tsx';
import { elsewhere, errorBesides, faultsOf, sentenceAt, useFaultFocus } from './form-errors.ts';
import { PasswordField } from './password-field.tsx';
import { type UserInput, type UserTexts, useDryRun, useRegister, useReset } from './queries.ts';

/** Returns a new password as a secret, which the administrator passes on to the user. */
function usePasswordSecret(): (username: string, password: string) => Secret {
  const { newPassword } = usePrincipalsMessages();
  return (username, password) => ({
    once: newPassword.once,
    values: [
      { label: newPassword.username, value: username },
      { label: newPassword.password, value: password },
    ],
    done: newPassword.done,
  });
}

const pathOf = (field: keyof UserInput) => `Users[0].${field}`;
const userFieldNames = Object.keys(userFields) as (keyof typeof userFields)[];
const fieldPaths = [pathOf('Username'), ...userFieldNames.map(pathOf), pathOf('Password')];

/** Checks the input of a form with a dry run while it is typed, and with the errors of its request. */
function useCheckedInput<Input extends UserInput | NewPassword>(
  principalId: number,
  input: Input,
  request: UseMutationResult<unknown, Error, Input>,
) {
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const dryRun = useDryRun(principalId, input);
  const { error, isPending, mutate } = request;
  const errors = { ...dryRun.faults, ...faultsOf(error) };
  /** Returns the error of a field; undefined for an empty field before the first submission. */
  const errorAt = (field: keyof UserInput, text: string) =>
    wasSubmitted || text !== '' ? sentenceAt(errors, pathOf(field)) : undefined;
  return {
    errorAt,
    otherErrors: elsewhere(dryRun.faults, fieldPaths),
    password: {
      error: errorAt('Password', input.Password),
      busy: isPending,
      taken: dryRun.current && input.Password !== '' && !sentenceAt(errors, pathOf('Password')),
    },
    form: {
      ref: useFaultFocus(error),
      noValidate: true,
      request: { isPending, error: errorBesides(error, fieldPaths) },
    },
    submit() {
      setWasSubmitted(true);
      mutate(input);
    },
  };
}

const noTexts = Object.fromEntries(userFieldNames.map((field) => [field, ''])) as UserTexts;
const emptyInput: UserInput = { ...noTexts, Username: '', Password: '' };

export function Register({ principalId, onClose }: { principalId: number; onClose: () => void }) {
  const { register: messages, userFields: labels } = usePrincipalsMessages();
  const secretOf = usePasswordSecret();
  const request = useRegister(principalId);
  const { data, variables, error, isPending, reset } = request;
  const form = useForm({ initialValues: emptyInput, onValuesChange: () => error && reset() });
  const checked = useCheckedInput(principalId, form.values, request);
  const registered = data && variables;
  return (
    <SecretDialog
      title={registered ? messages.done(registered.Username) : messages.title}
      isPending={isPending}
      secret={registered && secretOf(registered.Username, registered.Password)}
      onClose={onClose}
    >
      <DialogForm
        {...checked.form}
        onSubmit={form.onSubmit(checked.submit)}
        submit={messages.submit}
        onCancel={onClose}
      >
        {checked.otherErrors.length > 0 && (
          <Alert color="yellow" variant="light" role="status">
            {checked.otherErrors.join(' ')}
          </Alert>
        )}
        <TextInput
          label={messages.username}
          readOnly={isPending}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          required
          data-autofocus
          {...form.getInputProps('Username')}
          error={checked.errorAt('Username', form.values.Username)}
        />
        {userFieldNames.map((field) => (
          <TextInput
            key={field}
            label={messages.optional(labels[field])}
            type={userFields[field].format}
            readOnly={isPending}
            autoComplete="off"
            {...form.getInputProps(field)}
            error={checked.errorAt(field, form.values[field])}
          />
        ))}
        <PasswordField
          value={form.values.Password}
          onChange={(password) => form.setFieldValue('Password', password)}
          {...checked.password}
        />
      </DialogForm>
    </SecretDialog>
  );
}

export function Reset({ user, onClose }: { user: UserOfPrincipal; onClose: () => void }) {
  const { reset: messages } = usePrincipalsMessages();
  const secretOf = usePasswordSecret();
  const request = useReset(user.IRID);
  const { data, variables, error, isPending, reset } = request;
  const form = useForm({ initialValues: { Password: '' }, onValuesChange: () => error && reset() });
  const { Password } = form.values;
  const checked = useCheckedInput(
    user.IRID,
    useMemo(() => ({ ID: user.ID, Password }), [user.ID, Password]),
    request,
  );
  return (
    <SecretDialog
      title={data ? messages.done(user.Username) : messages.title(user.Username)}
      isPending={isPending}
      secret={data && variables && secretOf(user.Username, variables.Password)}
      onClose={onClose}
    >
      <DialogForm
        {...checked.form}
        onSubmit={form.onSubmit(checked.submit)}
        submit={messages.submit}
        onCancel={onClose}
      >
        <Text>{messages.text}</Text>
        <PasswordField
          value={Password}
          onChange={(next) => form.setFieldValue('Password', next)}
          {...checked.password}
          focused
        />
      </DialogForm>
    </SecretDialog>
  );
}
