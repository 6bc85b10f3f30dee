import { useMailsMessages, useUsersMessages } from '../../i18n/language.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import { useMailColumns } from './mail-columns.tsx';
import { useMailsOfUser } from './queries.ts';

/** The newest mails to a user, with the answers of the mail server. */
export function MailsOfUser({ id }: { id: number }) {
  const { mails } = useUsersMessages();
  const { title } = useMailsMessages();
  const { state, answer, kind, created } = useMailColumns();
  const { data, error, refetch } = useMailsOfUser(id);
  return (
    <ListSection
      title={title}
      caption={title}
      columns={[{ ...kind, card: 'title' }, state, answer, created]}
      list={{ rows: data?.records, error, refetch }}
      keyOf={({ ID }) => ID}
      expectedRows={2}
      empty={mails.empty}
    />
  );
}
