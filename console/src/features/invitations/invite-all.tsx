import { Skeleton, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useInvitationsMessages } from '../../i18n/language.tsx';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { ChannelField, useChannel } from './channel-field.tsx';
import { type InvitedFilter, useInviteAll, useInvited } from './queries.ts';

interface InviteAllProps {
  readonly of: InvitedFilter;
  readonly onClose: () => void;
}

/** Invites all users that have not set a password yet, as a job, and opens the page of the job. */
export function InviteAll({ of, onClose }: InviteAllProps) {
  const { all: messages } = useInvitationsMessages();
  const { number } = useFormats();
  const notify = useNotice();
  const [, goTo] = useLocation();
  const { data: invited, error, refetch } = useInvited(of);
  const hasEmail = !invited || invited.records.email.length > 0;
  const [channel, setChannel] = useChannel(hasEmail);
  const request = useInviteAll();
  const records = invited?.records[channel] ?? [];
  return (
    <Dialog title={messages.title} onClose={onClose} staysOpen={request.isPending}>
      <DialogForm
        onSubmit={(event) => {
          event.preventDefault();
          request.mutate(records, {
            onSuccess: (id) => {
              notify(messages.started);
              goTo(`/jobs/${id}`);
            },
          });
        }}
        submit={messages.submit}
        request={request}
        onCancel={onClose}
        disabled={records.length === 0}
      >
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {invited ? (
          <Text role="status">
            {messages.count(invited.users, number(invited.users))}{' '}
            {channel === 'email' &&
              invited.withoutEmail > 0 &&
              messages.without(invited.withoutEmail, number(invited.withoutEmail))}
          </Text>
        ) : (
          <Skeleton height={22} />
        )}
        <ChannelField
          choices={['email', 'code']}
          value={channel}
          onChange={setChannel}
          hasEmail={hasEmail}
          busy={request.isPending}
        />
      </DialogForm>
    </Dialog>
  );
}
