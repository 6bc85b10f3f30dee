import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { type Session, useSignOut } from '../features/session/session.ts';
import { useCommonMessages } from '../i18n/language.tsx';
import { Command } from '../ui/copy.tsx';
import { Icon } from '../ui/icon.tsx';
import { Failure } from '../ui/loading-or-error.tsx';
import { AccessFrame } from './access-frame.tsx';
import { Forgotten } from './forgotten.tsx';
import { KeysForm, OperatorForm } from './sign-in-forms.tsx';

/** Where the browser remembers how the last person has signed in. */
const place = 'anagrafe-sign-in';

/** The sign-in of operators, and that of API clients if it is allowed. `session` is that of the hidden pages. */
export function SignIn({ session }: { session: Session }) {
  const { signIn: messages } = useCommonMessages();
  const { clientSession, notSignedOut = null, KeysAllowed, SendsMail } = session;
  const account = clientSession?.account;
  const ended = clientSession !== null;
  const signOut = useSignOut();
  const [chosen, setChosen] = useState(() =>
    account?.Client ? 'keys' : account?.Operator ? 'operator' : localStorage.getItem(place),
  );
  const [forgotten, setForgotten] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const byKeys = KeysAllowed && chosen === 'keys';

  useEffect(() => {
    // The element that had the focus is hidden now. Focusing a field would redirect text that is still being typed.
    if (ended) heading.current?.focus();
    else field.current?.focus();
  }, [ended]);

  const choose = (method: 'keys' | 'operator') => {
    localStorage.setItem(place, method);
    setChosen(method);
  };

  if (forgotten) return <Forgotten onBack={() => setForgotten(false)} />;
  return (
    <AccessFrame title={messages.title} headingRef={heading}>
      {ended && (
        <Alert variant="light" color="indigo" role="status" icon={<Icon name="info" />}>
          {messages.ended}
        </Alert>
      )}
      {notSignedOut && (
        <Failure error={notSignedOut} title={messages.notSignedOut} onRetry={() => signOut.mutate()} />
      )}
      {byKeys ? (
        <KeysForm ref={field} />
      ) : (
        <OperatorForm ref={field} email={account?.Operator?.Email ?? ''} />
      )}
      <Stack gap={6} align="flex-start">
        {!byKeys && SendsMail && (
          <Anchor component="button" type="button" size="sm" onClick={() => setForgotten(true)}>
            {messages.forgotten}
          </Anchor>
        )}
        {!byKeys && (
          <Anchor component={Link} href="/password" size="sm">
            {messages.haveCode}
          </Anchor>
        )}
        {KeysAllowed && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() => choose(byKeys ? 'operator' : 'keys')}
          >
            {byKeys ? messages.byEmail : messages.byKeys}
          </Anchor>
        )}
      </Stack>
      <Stack gap={6} mt="xs">
        <Text size="xs" c="dimmed">
          {byKeys ? messages.keysHelp : messages.personHelp}
        </Text>
        <Command text={byKeys ? messages.keysCommand : messages.personCommand} what={messages.commandName} />
      </Stack>
    </AccessFrame>
  );
}
