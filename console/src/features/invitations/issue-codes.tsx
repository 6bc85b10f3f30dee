import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useInvitationsMessages, usePrincipalsMessages } from '../../i18n/language.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { focusOnMount } from '../../ui/focus.ts';
import { SaveOnce } from '../../ui/save-once.tsx';
import { useCodeDownloads } from './codes.ts';
import { useIssueCodes } from './queries.ts';

/** Issues the codes of the users that jobs have invited, and offers them as files. */
export function IssueCodes({ jobIds, onClose }: { jobIds: readonly string[]; onClose: () => void }) {
  const { job: messages, many } = useInvitationsMessages();
  const { newPassword } = usePrincipalsMessages();
  const { number } = useFormats();
  const downloadsOf = useCodeDownloads();
  const request = useIssueCodes(jobIds);
  const [isSaved, setIsSaved] = useState(false);
  const { data } = request;
  if (!data)
    return (
      <ConfirmDialog
        title={messages.title}
        text={messages.text}
        action={messages.submit}
        harmless
        request={request}
        onConfirm={() => request.mutate()}
        onClose={onClose}
      />
    );
  const { invitations, skipped } = data;
  const downloads = downloadsOf(invitations).map(({ name, onSave }) => ({
    name,
    onSave: () => {
      onSave();
      setIsSaved(true);
    },
  }));
  return (
    <Dialog title={messages.title} onClose={onClose} staysOpen>
      <Stack>
        <Text role="status" fw={600} tabIndex={-1} ref={focusOnMount}>
          {messages.issued(invitations.length, number(invitations.length))}{' '}
          {skipped > 0 && messages.skipped(skipped, number(skipped))}
        </Text>
        {invitations.length > 0 && <SaveOnce text={many.once} isSaved={isSaved} downloads={downloads} />}
        <Group justify="flex-end">
          <Button disabled={invitations.length > 0 && !isSaved} onClick={onClose}>
            {newPassword.done}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
