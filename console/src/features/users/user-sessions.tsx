import type { UserOfPrincipal, UserSession } from '@anagrafe/client';
import { Button, Group, Stack } from '@mantine/core';
import { useRef } from 'react';
import { useUsersMessages } from '../../i18n/language.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { type Column, Empty, Table } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { useEndSessions, useSessions } from './queries.ts';

/** The sessions of a user, each of which can be ended. */
export function Sessions({ user, onClose }: { user: UserOfPrincipal; onClose: () => void }) {
  const { sessions: messages } = useUsersMessages();
  const { columns: names } = messages;
  const notify = useNotice();
  const { data, error, refetch } = useSessions(user.ID);
  const sessions = data?.records;
  const ending = useEndSessions(user.ID);
  const closeButton = useRef<HTMLButtonElement>(null);
  const end = (session: UserSession | null) =>
    ending.mutate(session?.ID ?? null, {
      onSuccess: () => {
        notify(session ? messages.ended : messages.allEnded);
        // The button of an ended session disappears, and keyboard users would lose their position.
        closeButton.current?.focus();
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
    <Dialog title={messages.title(user.Username)} onClose={onClose}>
      <Stack>
        <Table
          caption={messages.caption}
          columns={columns}
          rows={sessions}
          keyOf={({ ID }) => ID}
          error={error}
          onRetry={refetch}
          empty={<Empty title={messages.none} hint={messages.noneHint} />}
          expectedRows={1}
        />
        {ending.error && <Failure error={ending.error} />}
        <Group justify="flex-end">
          <Button variant="default" ref={closeButton} onClick={onClose}>
            {messages.close}
          </Button>
          {sessions && sessions.length > 0 && (
            <Button color="red" loading={ending.isPending} onClick={() => end(null)}>
              {messages.endAll}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
