import type { Operator } from '@anagrafe/client';
import { Badge, Group, Text } from '@mantine/core';
import type { ComponentType } from 'react';
import { useOperatorsMessages, usePeopleMessages } from '../../i18n/language.tsx';
import { ActionsMenu, CreateButton } from '../../ui/actions-menu.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { type Column, Note } from '../../ui/table.tsx';
import { Tags } from '../../ui/tags.tsx';
import { Moment } from '../../ui/time.tsx';
import { useMay, useSession } from '../session/session.ts';
import { Edit, Invite, Reset, Sessions, SetState } from './operator-dialogs.tsx';
import { useOperators } from './queries.ts';

export function Operators() {
  const messages = useOperatorsMessages();
  const { data, error, refetch } = useOperators();
  const may = useMay();
  const [dialog, open] = useDialog();
  const columns = useColumns(open);
  return (
    <ListPage
      title={messages.title}
      intro={messages.intro}
      actions={
        may('operators.write') && (
          <CreateButton onClick={() => open((close) => <Invite onClose={close} />)}>
            {messages.invite}
          </CreateButton>
        )
      }
      caption={messages.title}
      columns={may('operators.write') ? columns : columns.slice(0, -1)}
      list={{ rows: data, error, refetch }}
      keyOf={({ ID }) => ID}
      empty={messages.empty}
    >
      {dialog}
    </ListPage>
  );
}

/** The last column has the actions. */
function useColumns(open: ReturnType<typeof useDialog>[1]): readonly Column<Operator>[] {
  const messages = useOperatorsMessages();
  const { columns } = messages;
  const { role } = usePeopleMessages();
  const ownId = useSession().data?.Operator?.ID;
  const action = (
    name: string,
    operator: Operator,
    Dialog: ComponentType<{ operator: Operator; onClose: () => void }>,
  ) => ({ name, onChoose: () => open((close) => <Dialog operator={operator} onClose={close} />) });
  return [
    {
      name: columns.name,
      card: 'title',
      cell: ({ ID, Name, Email, Tags: tags, State }) => (
        <>
          <Group gap="xs">
            <Text fw={600} size="sm" {...(State === 'disabled' && { c: 'dimmed', td: 'line-through' })}>
              {Name}
            </Text>
            {State !== 'active' && (
              <Badge color={State === 'disabled' ? 'red' : 'gray'} flex="none">
                {messages.state[State]}
              </Badge>
            )}
            {ID === ownId && <Badge flex="none">{messages.you}</Badge>}
            <Tags tags={tags} />
          </Group>
          <Note>{Email}</Note>
        </>
      ),
    },
    { name: columns.role, cell: ({ Role }) => role[Role] },
    {
      name: columns.secondFactor,
      cell: ({ SecondFactor }) => (SecondFactor ? messages.hasSecondFactor : messages.noSecondFactor),
    },
    { name: columns.created, cell: ({ CreatedAt }) => <Moment at={CreatedAt} /> },
    {
      name: columns.actions,
      quiet: true,
      numeric: true,
      cell: (operator) => (
        <ActionsMenu
          label={messages.actionsOf(operator.Name)}
          actions={[
            action(messages.edit, operator, Edit),
            action(messages.sessions.menu, operator, Sessions),
            { ...action(messages.reset, operator, Reset), isDestructive: true },
            operator.State === 'disabled'
              ? action(messages.enable, operator, SetState)
              : { ...action(messages.disable, operator, SetState), isDestructive: true },
          ]}
        />
      ),
    },
  ];
}
