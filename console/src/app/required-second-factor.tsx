import { Button } from '@mantine/core';
import { ConfirmIdentity } from '../features/session/confirm-identity.tsx';
import { SecondFactor } from '../features/session/second-factor.tsx';
import { useSignOut } from '../features/session/session.ts';
import { useCommonMessages, usePeopleMessages } from '../i18n/language.tsx';
import { AccessFrame } from './access-frame.tsx';

/** Stands before the console of an operator that must set up its second factor first. */
export function RequiredSecondFactor() {
  const { secondFactor: messages } = usePeopleMessages();
  const { signOut: label } = useCommonMessages();
  const signOut = useSignOut();
  return (
    <AccessFrame
      title={messages.title}
      intro={messages.required}
      actions={
        <Button variant="default" size="xs" loading={signOut.isPending} onClick={() => signOut.mutate()}>
          {label}
        </Button>
      }
    >
      <SecondFactor />
      <ConfirmIdentity />
    </AccessFrame>
  );
}
