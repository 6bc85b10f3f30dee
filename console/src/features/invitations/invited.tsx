import { Button, Group } from '@mantine/core';
import { Link } from 'wouter';
import { useInvitationsMessages, useMailsMessages } from '../../i18n/language.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { IssueCodes } from './issue-codes.tsx';
import type { Channel } from './queries.ts';

interface InvitedProps {
  /** How new users were invited; null if they were not. */
  readonly channel: Channel | null;
  readonly run: string;
  /** The jobs of the run. */
  readonly jobIds: readonly string[];
}

/** Leads to the mails to the users that a run has invited, or issues their codes. */
export function Invited({ channel, run, jobIds }: InvitedProps) {
  const { job: codes } = useInvitationsMessages();
  const mails = useMailsMessages();
  const [dialog, open] = useDialog();
  if (channel === null || jobIds.length === 0) return null;
  return (
    <Group>
      {channel === 'email' ? (
        <Button component={Link} href={`/mails?run=${run}`} variant="default">
          {mails.show}
        </Button>
      ) : (
        <Button
          variant="default"
          onClick={() => open((close) => <IssueCodes jobIds={jobIds} onClose={close} />)}
        >
          {codes.action}
        </Button>
      )}
      {dialog}
    </Group>
  );
}
