import { useInvitationsMessages } from '../../i18n/language.tsx';
import { ChannelField, useChannel } from '../invitations/channel-field.tsx';
import { useCodeDownloads } from '../invitations/codes.ts';
import { invitationOf, inviteUsers } from '../invitations/queries.ts';
import { useMany } from './many-queries.ts';
import { ManyDialog, type ManyProps } from './many-users.tsx';

/** Invites the selected users. Their codes are shown to no one; they can be saved once, as a file. */
export function InviteMany(props: ManyProps) {
  const { users } = props;
  const { many: messages } = useInvitationsMessages();
  const hasEmail = users.some(({ Email }) => Email !== null);
  const [channel, setChannel] = useChannel(hasEmail);
  const downloadsOf = useCodeDownloads();
  const request = useMany({
    users,
    usersAtOnce: 100,
    async send(anagrafe, some) {
      const records = some.map(({ IRID, ID }) => ({ ID: IRID, Users: [{ ID, Invite: channel }] }));
      const result = await inviteUsers(anagrafe, records, channel);
      return {
        ...result,
        invitations: some.map((user, at) => invitationOf(result.tuples[at]?.Item6.Users?.[0], user)),
      };
    },
  });
  const invitations = request.results.flatMap(({ invitation }) => invitation ?? []);
  return (
    <ManyDialog
      {...props}
      title={messages.title}
      text={messages.text}
      action={messages.submit}
      isDestructive={false}
      request={request}
      secrets={
        invitations.length > 0 ? { once: messages.once, downloads: downloadsOf(invitations) } : undefined
      }
    >
      <ChannelField choices={['email', 'code']} value={channel} onChange={setChannel} hasEmail={hasEmail} />
    </ManyDialog>
  );
}
