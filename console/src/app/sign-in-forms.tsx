import { ApiError, type ConsoleKeys } from '@anagrafe/client';
import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Ref, useState } from 'react';
import { useSignIn, useSignInOperator } from '../features/session/session.ts';
import { useCommonMessages } from '../i18n/language.tsx';
import { Failure } from '../ui/loading-or-error.tsx';

interface OperatorFormProps {
  readonly ref?: Ref<HTMLInputElement>;
  readonly email: string;
  /** The password, if it was entered already: only the code is missing then. */
  readonly password?: string;
  readonly onSignedIn?: () => void;
}

/** Email and password, and then the code if the operator has a second factor. */
export function OperatorForm({ ref, email, password = '', onSignedIn = () => {} }: OperatorFormProps) {
  const { signIn: messages } = useCommonMessages();
  const attempt = useSignInOperator();
  const [needsCode, setNeedsCode] = useState(password !== '');
  const form = useForm({ initialValues: { email, password, code: '' } });
  const isCodeMissing = (error: Error | null) =>
    error instanceof ApiError && error.code === 'SECOND_FACTOR_REQUIRED';

  const submit = form.onSubmit((values) =>
    attempt.mutate(
      { Email: values.email.trim(), Password: values.password, ...(needsCode && { Code: values.code }) },
      { onSuccess: onSignedIn, onError: (error) => isCodeMissing(error) && setNeedsCode(true) },
    ),
  );
  function startAgain() {
    attempt.reset();
    form.reset();
    setNeedsCode(false);
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        {attempt.error && !isCodeMissing(attempt.error) && <Failure error={attempt.error} atSignIn />}
        {needsCode ? (
          <TextInput
            key="code"
            label={messages.code}
            description={messages.codeHint}
            autoComplete="one-time-code"
            autoFocus
            required
            {...form.getInputProps('code')}
          />
        ) : (
          <>
            <TextInput
              ref={ref}
              type="email"
              label={messages.email}
              autoComplete="username"
              required
              {...form.getInputProps('email')}
            />
            <PasswordInput
              label={messages.password}
              autoComplete="current-password"
              required
              {...form.getInputProps('password')}
            />
          </>
        )}
        <Button type="submit" fullWidth loading={attempt.isPending}>
          {messages.submit}
        </Button>
        {needsCode && (
          <Anchor component="button" type="button" size="sm" ta="left" onClick={startAgain}>
            {messages.otherAccount}
          </Anchor>
        )}
      </Stack>
    </form>
  );
}

/** Reads the keys from the two fields. The first one may hold both: `<public>.<secret>`. Null if a key is missing. */
function readKeys(publicKey: string, secretKey: string): ConsoleKeys | null {
  const [first = '', second = ''] = publicKey.trim().split('.');
  const PublicKey = first.trim();
  const SecretKey = (secretKey.trim() || second).trim();
  return PublicKey !== '' && SecretKey !== '' ? { PublicKey, SecretKey } : null;
}

/** The two keys of an API client. */
export function KeysForm({ ref }: { ref: Ref<HTMLInputElement> }) {
  const { signIn: messages } = useCommonMessages();
  const attempt = useSignIn();
  const form = useForm({
    initialValues: { publicKey: '', secretKey: '' },
    validate: {
      publicKey: (value, { secretKey }) => readKeys(value, secretKey) === null && messages.missing,
    },
    validateInputOnChange: false,
    clearInputErrorOnChange: false,
  });
  const submit = form.onSubmit(({ publicKey, secretKey }) => {
    const keys = readKeys(publicKey, secretKey);
    if (keys) attempt.mutate(keys);
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {attempt.error && <Failure error={attempt.error} atSignIn />}
        <TextInput
          ref={ref}
          label={messages.publicKey}
          description={messages.publicKeyHint}
          autoComplete="username"
          autoCapitalize="off"
          spellCheck={false}
          required
          {...form.getInputProps('publicKey')}
        />
        <PasswordInput
          label={messages.secretKey}
          autoComplete="current-password"
          required
          {...form.getInputProps('secretKey')}
        />
        <Button type="submit" fullWidth loading={attempt.isPending}>
          {messages.submit}
        </Button>
      </Stack>
    </form>
  );
}
