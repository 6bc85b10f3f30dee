import { Radio, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { useImportMessages, useInvitationsMessages, useMailsMessages } from '../../i18n/language.tsx';
import { type Channel, useSendsMail } from './queries.ts';

/** Returns the channel and its setter. Default: email where it can be sent. */
export function useChannel(hasEmail: boolean): readonly [Channel, (channel: Channel) => void] {
  const [chosen, choose] = useState<Channel | null>(null);
  const sendsMail = useSendsMail();
  return [chosen ?? (sendsMail && hasEmail ? 'email' : 'code'), choose];
}

interface InvitesFieldProps {
  /** How each new user without a password is invited to set one; null if it is not. */
  readonly value: Channel | null;
  readonly onChange: (channel: Channel | null) => void;
}

/** Asks whether and how the new users of a file are invited. */
export function InvitesField({ value, onChange }: InvitesFieldProps) {
  const { invites, invitesHint } = useImportMessages().options;
  const [channel] = useChannel(true);
  return (
    <>
      <Switch
        label={invites}
        description={invitesHint}
        checked={value !== null}
        onChange={({ currentTarget: { checked } }) => onChange(checked ? channel : null)}
      />
      {value && <ChannelField choices={['email', 'code']} value={value} onChange={onChange} />}
    </>
  );
}

interface ChannelFieldProps<Choice extends string> {
  readonly choices: readonly Choice[];
  readonly value: Choice;
  readonly onChange: (choice: Choice) => void;
  /** False if none of the users has an email address. */
  readonly hasEmail?: boolean;
  readonly busy?: boolean;
}

/** Asks how a user gets its code. Email is disabled, with the reason, where it cannot be sent. */
export function ChannelField<Choice extends Channel | 'password'>(props: ChannelFieldProps<Choice>) {
  const { choices, value, onChange, hasEmail = true, busy = false } = props;
  const { channel: messages } = useInvitationsMessages();
  const { noMail } = useMailsMessages();
  const sendsMail = useSendsMail();
  const noEmail = sendsMail === false ? noMail : hasEmail ? null : messages.noAddress;
  return (
    <Radio.Group
      label={choices.some((choice) => choice === 'password') ? messages.access : messages.label}
      value={value}
      onChange={(choice) => onChange(choice as Choice)}
    >
      <Stack gap="xs" mt="xs">
        {choices.map((choice) => (
          <Radio
            key={choice}
            value={choice}
            label={messages[choice]}
            disabled={busy || (choice === 'email' && noEmail !== null)}
            description={choice === 'email' && noEmail !== null ? noEmail : messages.hints[choice]}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
