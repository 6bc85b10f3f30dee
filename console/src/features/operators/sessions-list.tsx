import type { OperatorSession } from '@anagrafe/client';
import { Badge, Box, Button, Group, Text } from '@mantine/core';
import { useOperatorsMessages } from '../../i18n/language.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import type { Column } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import type { OperatorSessions } from './queries.ts';

interface SessionsListProps extends OperatorSessions {
  readonly title: string;
  /** The label of the button that ends all sessions, or all others. */
  readonly endAll: string;
}

/** The sessions of an operator, each of which can be ended. */
export function SessionsList({ title, endAll, sessions, end }: SessionsListProps) {
  const { sessions: messages } = useOperatorsMessages();
  const notify = useNotice();
  const run = (session: string | null) =>
    end.mutate(session, { onSuccess: () => notify(session === null ? messages.allEnded : messages.ended) });
  const columns: readonly Column<OperatorSession>[] = [
    {
      name: messages.address,
      card: 'title',
      cell: ({ Address, Current }) => (
        <Group gap="xs">
          <Text size="sm">{Address ?? messages.unknown}</Text>
          {Current && <Badge flex="none">{messages.current}</Badge>}
        </Group>
      ),
    },
    { name: messages.signedIn, cell: ({ SignedInAt }) => <Moment at={SignedInAt} /> },
    { name: messages.used, cell: ({ UsedAt }) => <Moment at={UsedAt} /> },
    {
      name: messages.actions,
      quiet: true,
      numeric: true,
      cell: ({ ID, Current }) =>
        !Current && (
          <Button
            variant="default"
            size="xs"
            aria-label={messages.endOf((sessions.data?.findIndex((one) => one.ID === ID) ?? 0) + 1)}
            disabled={end.isPending}
            onClick={() => run(ID)}
          >
            {messages.end}
          </Button>
        ),
    },
  ];
  return (
    <ListSection
      title={title}
      actions={
        <Button variant="default" size="xs" disabled={end.isPending} onClick={() => run(null)}>
          {endAll}
        </Button>
      }
      caption={title}
      columns={columns}
      list={{ rows: sessions.data, error: sessions.error, refetch: sessions.refetch }}
      keyOf={({ ID }) => ID}
      expectedRows={1}
      empty={{ title: messages.none, hint: messages.noneHint }}
    >
      {end.error && (
        <Box px="lg" pb="md">
          <Failure error={end.error} />
        </Box>
      )}
    </ListSection>
  );
}
