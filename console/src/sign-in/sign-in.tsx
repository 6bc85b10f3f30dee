import { Alert, Button, Group, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useSignIn, useSignOut } from '../api/session.ts';
import { useWords } from '../language/words.ts';
import { Command } from '../parts/command.tsx';
import { Failure } from '../parts/failure.tsx';
import { Icon } from '../parts/icon.tsx';
import { LanguageSwitch } from '../shell/language-switch.tsx';
import { Mark } from '../shell/mark.tsx';
import { SchemeSwitch } from '../shell/scheme-switch.tsx';
import { readKeys } from './keys.ts';
import classes from './sign-in.module.css';

interface SignInProps {
  /** Someone was signed in until just now. */
  readonly ended: boolean;
  /** Why someone who wanted to leave may still be signed in. */
  readonly notSignedOut: Error | null;
}

/** Asks for the keys of an API client. */
export function SignIn({ ended, notSignedOut }: SignInProps) {
  const words = useWords();
  const { signIn } = words;
  const attempt = useSignIn();
  const signOut = useSignOut();
  const [publicKey, setPublicKey] = useState('');
  const [secretKey, setSecretKey] = useState('');
  const [missing, setMissing] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    document.title = `${signIn.title} · ${words.product}`;
  }, [signIn.title, words.product]);

  useEffect(() => {
    // What had the focus is out of sight. Not a field, which what is being typed would go into.
    if (ended) heading.current?.focus();
    else field.current?.focus();
  }, [ended]);

  function submit(event: FormEvent) {
    event.preventDefault();
    const keys = readKeys(publicKey, secretKey);
    setMissing(keys === null);
    if (keys) attempt.mutate(keys);
  }

  return (
    <div className={classes.ground}>
      <header className={classes.header}>
        <Group gap="sm">
          <Mark />
          <Text fw={700} size="lg">
            {words.product}
          </Text>
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
                value={publicKey}
                onChange={(event) => setPublicKey(event.currentTarget.value)}
                error={missing && signIn.missing}
                autoComplete="username"
                autoCapitalize="off"
                spellCheck={false}
                required
                withAsterisk={false}
              />
              <PasswordInput
                label={signIn.secretKey}
                value={secretKey}
                onChange={(event) => setSecretKey(event.currentTarget.value)}
                autoComplete="current-password"
                required
                withAsterisk={false}
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
