import type { UserOfPrincipal } from '@anagrafe/client';
import { Button, Group, Text } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useInvitationsMessages, usePrincipalsMessages } from '../../i18n/language.tsx';
import { DialogForm, useFinish } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type Secret, SecretDialog } from '../../ui/secret-dialog.tsx';
import { ChannelField, useChannel } from './channel-field.tsx';
import { useCodeDownloads } from './codes.ts';
import { type Invitation, useInvite } from './queries.ts';

/** Returns a code as a secret, which the reader hands on to the user. */
export function useCodeSecret(): (invitation: Invitation) => Secret {
  const { code: messages } = useInvitationsMessages();
  const { newPassword } = usePrincipalsMessages();
  return ({ Username, Code, URL }) => ({
    once: messages.once,
    values: [
      { label: newPassword.username, value: Username ?? '' },
      { label: messages.label, value: Code ?? '' },
      ...(URL === null ? [] : [{ label: messages.link, value: URL }]),
    ],
    done: newPassword.done,
  });
}

/** The end of the validity of a code, and the code as files. */
export function CodeNote({ invitation }: { invitation: Invitation }) {
  const { code: messages } = useInvitationsMessages();
  const { moment } = useFormats();
  const sheet = useCodeDownloads()([invitation]).at(-1);
  const { ExpiresAt } = invitation;
  return (
    <Group justify="space-between">
      <Text size="sm">{ExpiresAt !== null && messages.expires(moment(new Date(ExpiresAt)))}</Text>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="download" size={14} />}
        onClick={sheet?.onSave}
      >
        {messages.sheet}
      </Button>
    </Group>
  );
}

export function InviteUser({ user, onClose }: { user: UserOfPrincipal; onClose: () => void }) {
  const messages = useInvitationsMessages();
  const finish = useFinish(onClose);
  const secretOf = useCodeSecret();
  const [channel, setChannel] = useChannel(user.Email !== null);
  const request = useInvite(user);
  const { data, isPending, mutate } = request;
  const invitation = data?.invitation;
  return (
    <SecretDialog
      title={messages.title(user.Username)}
      isPending={isPending}
      secret={invitation && secretOf(invitation)}
      note={invitation && <CodeNote invitation={invitation} />}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={(event) => {
          event.preventDefault();
          mutate(channel, {
            onSuccess: () => channel === 'email' && finish(messages.mailed(user.Username, user.Email ?? '')),
          });
        }}
        submit={messages.submit}
        request={request}
        onCancel={onClose}
      >
        <Text>{user.State === 'invited' ? messages.text.invited : messages.text.active}</Text>
        <ChannelField
          choices={['email', 'code']}
          value={channel}
          onChange={setChannel}
          hasEmail={user.Email !== null}
          busy={isPending}
        />
      </DialogForm>
    </SecretDialog>
  );
}
