import type { UserSession } from '@anagrafe/client';
import { Box, Button } from '@mantine/core';
import { useRef } from 'react';
import { useUsersMessages } from '../../i18n/language.tsx';
import { ConfirmDialog, useDialog } from '../../ui/dialog.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import type { Column } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { useEndSessions, useSessions } from './queries.ts';

/** The sessions of a user, each of which can be ended. They are read when it is known that the user exists. */
export function Sessions({ id, isLoading }: { id: number; isLoading: boolean }) {
  const { sessions: messages } = useUsersMessages();
  const { columns: names } = messages;
  const notify = useNotice();
  const { data, error, refetch } = useSessions(id, { enabled: !isLoading });
  const sessions = data?.records;
  const ending = useEndSessions(id);
  const [dialog, open] = useDialog();
  const endAll = useRef<HTMLButtonElement>(null);
  const isNone = !sessions || sessions.length === 0;
  const end = (session: UserSession) =>
    ending.mutate(session.ID, {
      onSuccess: () => {
        notify(messages.ended);
        // The button of an ended session disappears, and keyboard users would lose their position.
        endAll.current?.focus();
      },
    });
  const columns: readonly Column<UserSession>[] = [
    { name: names.created, card: 'full', cell: ({ SignedInAt }) => <Moment at={SignedInAt} /> },
    { name: names.used, cell: ({ RefreshedAt }) => <Moment at={RefreshedAt} /> },
    { name: names.ends, cell: ({ ExpiresAt }) => <Moment at={ExpiresAt} /> },
    {
      name: names.actions,
      quiet: true,
      numeric: true,
      cell: (session) => (
        <Button
          variant="default"
          size="xs"
          aria-label={messages.endOf((sessions?.indexOf(session) ?? 0) + 1)}
          disabled={ending.isPending}
          onClick={() => end(session)}
        >
          {messages.end}
        </Button>
      ),
    },
  ];
  return (
    <ListSection
      title={messages.caption}
      actions={
        <Button
          ref={endAll}
          variant="default"
          size="xs"
          // `disabled` would drop the focus, and keyboard users would lose their position on the page.
          aria-disabled={isNone}
          data-disabled={isNone}
          onClick={() => !isNone && open((close) => <EndAll id={id} onClose={close} />)}
        >
          {messages.endAll}
        </Button>
      }
      caption={messages.caption}
      columns={columns}
      list={{ rows: sessions, error, refetch }}
      keyOf={({ ID }) => ID}
      expectedRows={2}
      empty={{ title: messages.none, hint: messages.noneHint }}
    >
      {ending.error && (
        <Box px="lg" pb="md">
          <Failure error={ending.error} />
        </Box>
      )}
      {dialog}
    </ListSection>
  );
}

function EndAll({ id, onClose }: { id: number; onClose: () => void }) {
  const { sessions: messages } = useUsersMessages();
  const notify = useNotice();
  const request = useEndSessions(id);
  return (
    <ConfirmDialog
      title={messages.endAll}
      text={messages.endAllText}
      action={messages.endAll}
      request={request}
      onConfirm={() =>
        request.mutate(null, {
          onSuccess: () => {
            notify(messages.allEnded);
            onClose();
          },
        })
      }
      onClose={onClose}
    />
  );
}
