import type { ConsoleKeys } from '@anagrafe/client';
import { Alert, Button, Group, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useRef } from 'react';
import { useSignIn, useSignOut } from '../features/session/session.ts';
import { useCommonMessages } from '../i18n/language.tsx';
import { Command } from '../ui/copy.tsx';
import { Icon } from '../ui/icon.tsx';
import { Failure } from '../ui/loading-or-error.tsx';
import { LanguageSwitch, SchemeSwitch } from './preferences.tsx';
import { Brand } from './shell.tsx';
import classes from './sign-in.module.css';

/** Reads the keys from the two fields. The first one may hold both: `<public>.<secret>`. Null if a key is missing. */
function readKeys(publicKey: string, secretKey: string): ConsoleKeys | null {
  const [first = '', second = ''] = publicKey.trim().split('.');
  const PublicKey = first.trim();
  const SecretKey = (secretKey.trim() || second).trim();
  return PublicKey !== '' && SecretKey !== '' ? { PublicKey, SecretKey } : null;
}

interface SignInProps {
  /** True if a session has just ended by itself. */
  readonly ended: boolean;
  /** The error of a failed sign-out, after which the session may still be valid; null without one. */
  readonly notSignedOut: Error | null;
}

export function SignIn({ ended, notSignedOut }: SignInProps) {
  const messages = useCommonMessages();
  const { signIn } = messages;
  const attempt = useSignIn();
  const signOut = useSignOut();
  const form = useForm({
    initialValues: { publicKey: '', secretKey: '' },
    validate: { publicKey: (value, { secretKey }) => readKeys(value, secretKey) === null && signIn.missing },
    validateInputOnChange: false,
    clearInputErrorOnChange: false,
  });
  const heading = useRef<HTMLHeadingElement>(null);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    document.title = `${signIn.title} · ${messages.product}`;
  }, [signIn.title, messages.product]);

  useEffect(() => {
    // The element that had the focus is hidden now. Focusing a field would redirect text that is still being typed.
    if (ended) heading.current?.focus();
    else field.current?.focus();
  }, [ended]);

  const submit = form.onSubmit(({ publicKey, secretKey }) => {
    const keys = readKeys(publicKey, secretKey);
    if (keys) attempt.mutate(keys);
  });

  return (
    <div className={classes.ground}>
      <header className={classes.header}>
        <Group gap="sm">
          <Brand />
        </Group>
        <Group gap="xs">
          <LanguageSwitch />
          <SchemeSwitch />
        </Group>
      </header>
      <main className={classes.main}>
        <Paper withBorder p={{ base: 'lg', sm: 'xl' }} w="100%" maw={440} radius="lg">
          <form onSubmit={submit} noValidate>
            <Stack>
              <div>
                <Title order={1} size="h3" ref={heading} tabIndex={-1}>
                  {signIn.title}
                </Title>
                <Text c="dimmed" size="sm" mt={4}>
                  {signIn.intro}
                </Text>
              </div>
              {ended && !attempt.error && (
                <Alert variant="light" color="indigo" role="status" icon={<Icon name="info" />}>
                  {signIn.ended}
                </Alert>
              )}
              {notSignedOut && (
                <Failure error={notSignedOut} title={signIn.notSignedOut} onRetry={() => signOut.mutate()} />
              )}
              {attempt.error && <Failure error={attempt.error} atSignIn />}
              <TextInput
                ref={field}
                label={signIn.publicKey}
                description={signIn.publicKeyHint}
                autoComplete="username"
                autoCapitalize="off"
                spellCheck={false}
                required
                {...form.getInputProps('publicKey')}
              />
              <PasswordInput
                label={signIn.secretKey}
                autoComplete="current-password"
                required
                {...form.getInputProps('secretKey')}
              />
              <Button type="submit" fullWidth loading={attempt.isPending}>
                {signIn.submit}
              </Button>
              <Stack gap={6} mt="xs">
                <Text size="xs" c="dimmed">
                  {signIn.help}
                </Text>
                <Command text={signIn.command} what={signIn.commandName} />
              </Stack>
            </Stack>
          </form>
        </Paper>
      </main>
    </div>
  );
}
