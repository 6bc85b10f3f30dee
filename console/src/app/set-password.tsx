import { ApiError, RecordError } from '@anagrafe/client';
import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useSetPassword, useSignInOperator } from '../features/session/session.ts';
import { usePeopleMessages } from '../i18n/language.tsx';
import { Failure } from '../ui/loading-or-error.tsx';
import { AccessFrame } from './access-frame.tsx';
import { OperatorForm } from './sign-in-forms.tsx';

/** Sets the password of an operator with the code of its invitation, and signs it in. */
export function SetPassword() {
  const { setPassword: messages } = usePeopleMessages();
  const [, navigate] = useLocation();
  const { code, next } = useCodeOfLink();
  const set = useSetPassword();
  const signIn = useSignInOperator();
  const [done, setDone] = useState<{ email: string; password: string } | null>(null);
  const isCodeWrong = set.error instanceof ApiError && set.error.code === 'CODE_INVALID';
  const form = useForm({ initialValues: { code: '', password: '', repeat: '' } });
  const finish = () => navigate(next, { replace: true });

  const submit = form.onSubmit((values) =>
    set.mutate(
      { Code: values.code || code, Password: values.password, ConfirmPassword: values.repeat },
      {
        onSuccess: (email) => {
          setDone({ email, password: values.password });
          signIn.mutate({ Email: email, Password: values.password }, { onSuccess: finish });
        },
        onError: (error) => {
          if (!(error instanceof RecordError)) return;
          const firstOf = (field: string) => error.fieldErrors[field]?.[0]?.message;
          form.setErrors({ password: firstOf('Password'), repeat: firstOf('ConfirmPassword') });
        },
      },
    ),
  );

  // The password is set, and the sign-in needs a code as well.
  if (done && signIn.isError)
    return (
      <AccessFrame title={messages.title}>
        <OperatorForm {...done} onSignedIn={finish} />
      </AccessFrame>
    );
  return (
    <AccessFrame title={messages.title} intro={messages.intro}>
      <form onSubmit={submit}>
        <Stack>
          {set.error && !(set.error instanceof RecordError) && <Failure error={set.error} atSignIn />}
          {(code === '' || isCodeWrong) && (
            <TextInput
              label={messages.code}
              description={messages.codeHint}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              required
              {...form.getInputProps('code')}
            />
          )}
          <PasswordInput
            label={messages.password}
            autoComplete="new-password"
            required
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label={messages.repeat}
            autoComplete="new-password"
            required
            {...form.getInputProps('repeat')}
          />
          <Button type="submit" fullWidth loading={set.isPending || signIn.isPending}>
            {messages.submit}
          </Button>
        </Stack>
      </form>
      <Anchor component={Link} href="/" size="sm">
        {messages.back}
      </Anchor>
    </AccessFrame>
  );
}

interface GivenCode {
  readonly code: string;
  /** The page after the sign-in. */
  readonly next: string;
}

/** Moves the code of a link from the URL to the state of the history, where a reload finds it. */
function takeCode(): GivenCode {
  const code = decodeURIComponent(location.hash.slice(1));
  if (code !== '') history.replaceState({ code }, '', location.pathname);
  return { code: '', next: '/', ...(history.state as Partial<GivenCode> | null) };
}

function useCodeOfLink(): GivenCode {
  const [given, setGiven] = useState(takeCode);
  useEffect(() => {
    const take = () => setGiven(takeCode());
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);
  return given;
}
