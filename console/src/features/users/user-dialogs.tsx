import type { NewPassword, UserOfPrincipal } from '@anagrafe/client';
import { Alert, Switch, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useInvitationsMessages, usePrincipalsMessages, useUsersMessages } from '../../i18n/language.tsx';
import { DialogForm, useFinish } from '../../ui/dialog.tsx';
import { type Secret, SecretDialog } from '../../ui/secret-dialog.tsx';
import { ChannelField } from '../invitations/channel-field.tsx';
import { CodeNote, useCodeSecret } from '../invitations/invite-user.tsx';
import { PasswordField } from './password-field.tsx';
import {
  type UserInput,
  type UserTexts,
  useDryRun,
  useRegister,
  useReset,
  userTextFields,
} from './queries.ts';
import { type FieldErrors, messageAt, messagesElsewhere, useRecordForm } from './record-form.ts';
import { UserFields } from './user-fields.tsx';

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
const fieldPaths = (['Username', ...userTextFields, 'Password'] as const).map(pathOf);
const shows = (path: string) => fieldPaths.includes(path);

interface MustChangeProps {
  readonly form: { getInputProps(field: 'MustChangePassword', options: { type: 'checkbox' }): object };
  readonly busy: boolean;
}

export function MustChange({ form, busy }: MustChangeProps) {
  const { edit } = useUsersMessages();
  return (
    <Switch
      label={edit.mustChange}
      disabled={busy}
      {...form.getInputProps('MustChangePassword', { type: 'checkbox' })}
    />
  );
}

/** Checks the input of a form with a dry run while it is typed. `errors` are those of the last request. */
function useCheckedInput(principalId: number, input: UserInput | NewPassword, errors: FieldErrors) {
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const dryRun = useDryRun(principalId, input);
  const all = { ...dryRun.errors, ...errors };
  /** Returns the error of a field; undefined for an empty field before the first submission. */
  const errorAt = (field: keyof UserInput, text: string) =>
    wasSubmitted || text !== '' ? messageAt(all, pathOf(field)) : undefined;
  return {
    errorAt,
    otherErrors: messagesElsewhere(dryRun.errors, shows),
    password: {
      // The error of an earlier password must not appear below one that was just generated.
      error: dryRun.isCurrent || wasSubmitted ? errorAt('Password', input.Password) : undefined,
      isAccepted: dryRun.isCurrent && input.Password !== '' && !messageAt(all, pathOf('Password')),
    },
    markSubmitted: () => setWasSubmitted(true),
  };
}

const noTexts = Object.fromEntries(userTextFields.map((field) => [field, ''])) as UserTexts;
const emptyInput: UserInput = {
  ...noTexts,
  Username: '',
  access: 'password',
  Password: '',
  MustChangePassword: false,
};

export function Register({ principalId, onClose }: { principalId: number; onClose: () => void }) {
  const { register: messages } = usePrincipalsMessages();
  const secretOf = usePasswordSecret();
  const codeSecretOf = useCodeSecret();
  const { mailed } = useInvitationsMessages();
  const finish = useFinish(onClose);
  const request = useRegister(principalId);
  const { data, variables, isPending, mutate } = request;
  const { form, errors, dialogForm } = useRecordForm({ request, initialValues: emptyInput, shows });
  const checked = useCheckedInput(principalId, form.values, errors);
  const { access } = form.values;
  const registered = data && variables;
  const invitation = data?.invitation;
  const secret = invitation
    ? codeSecretOf(invitation)
    : registered?.access === 'password' && secretOf(registered.Username, registered.Password);
  return (
    <SecretDialog
      title={registered ? messages.done(registered.Username) : messages.title}
      isPending={isPending}
      secret={secret || null}
      note={invitation && <CodeNote invitation={invitation} />}
      onClose={onClose}
    >
      <DialogForm
        {...dialogForm}
        onSubmit={form.onSubmit((input) => {
          checked.markSubmitted();
          mutate(input, {
            onSuccess: () => input.access === 'email' && finish(mailed(input.Username, input.Email)),
          });
        })}
        submit={messages.submit}
        onCancel={onClose}
      >
        {checked.otherErrors.length > 0 && (
          <Alert color="yellow" variant="light" role="status">
            {checked.otherErrors.join(' ')}
          </Alert>
        )}
        <UserFields
          inputProps={form.getInputProps}
          errorAt={(field) => checked.errorAt(field, form.values[field])}
          busy={isPending}
          optionalLabel={messages.optional}
        />
        <ChannelField
          choices={['password', 'email', 'code']}
          value={access}
          onChange={(choice) => form.setFieldValue('access', choice)}
          hasEmail={form.values.Email !== ''}
          busy={isPending}
        />
        {access === 'password' && (
          <>
            <PasswordField
              value={form.values.Password}
              onChange={(password) => form.setFieldValue('Password', password)}
              busy={isPending}
              {...checked.password}
            />
            <MustChange form={form} busy={isPending} />
          </>
        )}
      </DialogForm>
    </SecretDialog>
  );
}

const emptyReset = { Password: '', MustChangePassword: false };

export function Reset({ user, onClose }: { user: UserOfPrincipal; onClose: () => void }) {
  const { reset: messages } = usePrincipalsMessages();
  const secretOf = usePasswordSecret();
  const request = useReset(user.IRID);
  const { data, variables, isPending, mutate } = request;
  const { form, errors, dialogForm } = useRecordForm({ request, initialValues: emptyReset, shows });
  const { Password, MustChangePassword } = form.values;
  const input = useMemo(
    () => ({ ID: user.ID, Password, MustChangePassword }),
    [user.ID, Password, MustChangePassword],
  );
  const checked = useCheckedInput(user.IRID, input, errors);
  return (
    <SecretDialog
      title={data ? messages.done(user.Username) : messages.title(user.Username)}
      isPending={isPending}
      secret={data && variables && secretOf(user.Username, variables.Password)}
      onClose={onClose}
    >
      <DialogForm
        {...dialogForm}
        onSubmit={form.onSubmit(() => {
          checked.markSubmitted();
          mutate(input);
        })}
        submit={messages.submit}
        onCancel={onClose}
      >
        <Text>{messages.text}</Text>
        <PasswordField
          value={Password}
          onChange={(next) => form.setFieldValue('Password', next)}
          busy={isPending}
          {...checked.password}
          focused
        />
        <MustChange form={form} busy={isPending} />
      </DialogForm>
    </SecretDialog>
  );
}
