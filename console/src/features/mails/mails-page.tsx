import type { Mail } from '@anagrafe/client';
import { Alert, Button, Group, NativeSelect, Text } from '@mantine/core';
import { useMailsMessages } from '../../i18n/language.tsx';
import { useDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { useSearchParameters } from '../../ui/paging.tsx';
import type { Column } from '../../ui/table.tsx';
import { useSendsMail } from '../invitations/queries.ts';
import { useMailColumns } from './mail-columns.tsx';
import { type MailsFilter, mailStates, useHasStopped, useMails, useResendOne } from './queries.ts';
import { Resend } from './resend.tsx';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Keeps the filter in the URL (`?state=failed&call=…`, `?run=…`). A change returns to the first page. */
function useFilter() {
  const [search, setParameters] = useSearchParameters();
  const idOf = (name: 'call' | 'run') => {
    const id = search.get(name) ?? '';
    return uuid.test(id) ? id : null;
  };
  const filter: MailsFilter = {
    state: mailStates.find((state) => state === search.get('state')) ?? null,
    callId: idOf('call'),
    run: idOf('run'),
  };
  const setFilter = (values: { state?: string; call?: null; run?: null }) =>
    setParameters({ page: null, ...values, ...(values.state === '' && { state: null }) });
  return [filter, setFilter] as const;
}

/** `/console/mails`: the mails with codes, with the answer of the mail server to those that failed. */
export function Mails() {
  const messages = useMailsMessages();
  const { resend } = messages;
  const [filter, setFilter] = useFilter();
  const { state, callId, run } = filter;
  const list = useMails(filter);
  const sendsMail = useSendsMail();
  const [dialog, open] = useDialog();
  const { user, state: stateColumn, answer, kind, created } = useMailColumns();
  const one = useResendOneColumn();
  const hasStopped = useHasStopped(callId);
  return (
    <ListPage
      title={messages.title}
      intro={messages.intro}
      actions={
        // Mails are sent again of one job, or of all.
        state !== 'pending' &&
        run === null && (
          <Button
            variant="default"
            disabled={!sendsMail}
            onClick={() =>
              open((close) => (
                <Resend
                  which={{ ...(callId && { CallID: callId }), ...(state && { State: state }) }}
                  onClose={close}
                />
              ))
            }
          >
            {state === 'failed' || state === 'stopped' ? resend[state] : resend.unanswered}
          </Button>
        )
      }
      failure={
        <>
          {sendsMail === false && <Warning text={messages.noMail} />}
          {hasStopped && <Warning text={messages.stopped} />}
          {one.error && <Failure error={one.error} />}
        </>
      }
      filters={
        <>
          <NativeSelect
            aria-label={messages.columns.state}
            value={state ?? ''}
            onChange={({ currentTarget: { value } }) => setFilter({ state: value })}
            data={[
              { value: '', label: messages.allStates },
              ...mailStates.map((value) => ({ value, label: messages.states[value] })),
            ]}
          />
          {(callId || run) && (
            <Group gap="sm">
              <Text size="sm">
                {callId ? messages.ofJob(callId.slice(0, 8)) : messages.ofRun(run?.slice(0, 8) ?? '')}
              </Text>
              <Button variant="default" size="xs" onClick={() => setFilter({ call: null, run: null })}>
                {messages.all}
              </Button>
            </Group>
          )}
        </>
      }
      caption={messages.title}
      columns={[user, stateColumn, answer, kind, created, one.column]}
      list={list}
      keyOf={({ ID }) => ID}
      empty={state || callId || run ? messages.noResults : messages.empty}
    >
      {dialog}
    </ListPage>
  );
}

function Warning({ text }: { text: string }) {
  return (
    <Alert color="yellow" variant="light" icon={<Icon name="warning" />} mb="lg">
      {text}
    </Alert>
  );
}

/** A column with a button that invites again the user of an invitation that was not delivered. */
function useResendOneColumn() {
  const { resend } = useMailsMessages();
  const notify = useNotice();
  const sendsMail = useSendsMail();
  const { mutate, isPending, error } = useResendOne();
  const column: Column<Mail> = {
    name: resend.action,
    quiet: true,
    numeric: true,
    cell: ({ Kind, State, IRID, UserID, Username, Email }) =>
      Kind === 'invitation' &&
      (State === 'failed' || State === 'stopped') &&
      IRID !== null &&
      Email !== null && (
        <Button
          variant="default"
          size="xs"
          aria-label={resend.to(Username ?? '')}
          disabled={!sendsMail || isPending}
          onClick={() => mutate({ IRID, UserID }, { onSuccess: () => notify(resend.done(1, '1')) })}
        >
          {resend.action}
        </Button>
      ),
  };
  return { column, error };
}
