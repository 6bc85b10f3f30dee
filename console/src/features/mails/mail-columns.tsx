import type { Mail } from '@anagrafe/client';
import { Badge } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useMailsMessages } from '../../i18n/language.tsx';
import { CellLink, type Column, Note } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';

const colors = { pending: 'indigo', sent: 'teal', failed: 'red', stopped: 'gray' } as const;

/** The columns that the lists of all mails and of those of one user share. */
export function useMailColumns() {
  const messages = useMailsMessages();
  const { columns: names } = messages;
  const { number, moment } = useFormats();
  const user: Column<Mail> = {
    name: names.user,
    card: 'title',
    cell: ({ UserID, Username, Email }) =>
      Username === null ? (
        messages.deleted
      ) : (
        <>
          <CellLink href={`/users/${UserID}`} isName>
            {Username}
          </CellLink>
          <Note>{Email ?? '—'}</Note>
        </>
      ),
  };
  const state: Column<Mail> = {
    name: names.state,
    cell: ({ State, Attempts, NextAt }) => (
      <>
        <Badge color={colors[State]}>{messages.states[State]}</Badge>
        {Attempts > 0 && NextAt !== null && (
          <Note>{messages.attempts(Attempts, number(Attempts), moment(new Date(NextAt)))}</Note>
        )}
      </>
    ),
  };
  const answer: Column<Mail> = { name: names.answer, card: 'full', cell: ({ Answer }) => Answer ?? '—' };
  const kind: Column<Mail> = {
    name: names.kind,
    cell: ({ Kind, CallID }) => (
      <>
        {messages.kinds[Kind]}
        {CallID !== null && (
          <Note>
            <CellLink href={`/mails?call=${CallID}`}>{names.job(CallID.slice(0, 8))}</CellLink>
          </Note>
        )}
      </>
    ),
  };
  const created: Column<Mail> = {
    name: names.created,
    cell: ({ CreatedAt }) => <Moment at={CreatedAt} />,
  };
  return { user, state, answer, kind, created };
}
