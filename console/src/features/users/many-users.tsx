import type { Principal, State, UserOfPrincipal } from '@anagrafe/client';
import { byteOrderMark, csvLine } from '@anagrafe/importer';
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useLanguage, usePrincipalsMessages, useUsersMessages } from '../../i18n/language.tsx';
import { saveFile } from '../../ui/copy.tsx';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { focusOnMount } from '../../ui/focus.ts';
import { Failure } from '../../ui/loading-or-error.tsx';
import { SaveOnce } from '../../ui/save-once.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { type UserResult, type useMany, useMoveMany, useResetMany, useSetStates } from './many-queries.ts';
import { generatePassword } from './password-field.tsx';
import { PrincipalPicker } from './principal-picker.tsx';
import { nameOfPrincipal } from './user-columns.tsx';

export interface ManyProps {
  readonly users: readonly UserOfPrincipal[];
  /** Receives the users on which the action was done. */
  readonly onDone: (users: readonly UserOfPrincipal[]) => void;
  readonly onClose: () => void;
}

export function SetStates({ next, ...props }: ManyProps & { next: State }) {
  const { select } = useUsersMessages();
  const { setState } = usePrincipalsMessages();
  const request = useSetStates(props.users, next);
  return (
    <ManyDialog
      {...props}
      title={select.states[next].title}
      text={select.states[next].text}
      action={setState[next].action}
      isDestructive={next === 'disabled'}
      request={request}
    />
  );
}

/** Moves the users to another principal. */
export function MoveMany(props: ManyProps) {
  const { move: messages } = useUsersMessages().select;
  const [chosen, setChosen] = useState<Principal | null>(null);
  const request = useMoveMany(props.users, chosen?.ID ?? null);
  return (
    <ManyDialog
      {...props}
      title={messages.title}
      text={messages.text}
      action={messages.submit}
      isDestructive={false}
      request={request}
      disabled={chosen === null}
    >
      <PrincipalPicker chosen={chosen} onChoose={setChosen} />
    </ManyDialog>
  );
}

/** Sets a generated password for each user. The passwords are shown once, and can be saved as a file. */
export function ResetMany(props: ManyProps) {
  const { users } = props;
  const { select } = useUsersMessages();
  const { reset: messages } = select;
  const { language } = useLanguage();
  const [passwords] = useState(() => new Map(users.map(({ ID }) => [ID, generatePassword()])));
  const request = useResetMany(users, passwords);
  const { results } = request;

  /** Saves the passwords that were set, and those that a call without an answer may have set. */
  function save() {
    const failedIds = new Set(results.filter(({ error }) => error !== null).map(({ user }) => user.ID));
    const ended = new Set(results.map(({ user }) => user.ID));
    const separator = language === 'it' ? ';' : ',';
    const lines = users
      .filter(({ ID }) => !failedIds.has(ID))
      .map(({ ID, IRID, ExternalKey, Username, Email }) => {
        const state = ended.has(ID) ? select.file.done : select.file.unknown;
        const cells = [
          String(IRID),
          ExternalKey ?? '',
          Username,
          Email ?? '',
          passwords.get(ID) ?? '',
          state,
        ];
        return csvLine(cells, separator);
      });
    const header = csvLine(select.file.columns, separator);
    saveFile(`${select.file.name}.csv`, [byteOrderMark + header, ...lines], 'text/csv');
  }

  return (
    <ManyDialog
      {...props}
      title={messages.title}
      text={messages.text}
      action={messages.submit}
      isDestructive={false}
      request={request}
      secrets={{ once: messages.once, downloads: [{ name: messages.download, onSave: save }] }}
    />
  );
}

/** Values that can be saved once, after the action. */
interface Secrets {
  readonly once: string;
  readonly downloads: readonly { readonly name: string; readonly onSave: () => void }[];
}

interface ManyDialogProps extends ManyProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly isDestructive: boolean;
  readonly request: ReturnType<typeof useMany>;
  readonly secrets?: Secrets | undefined;
  /** True while the form is not complete. */
  readonly disabled?: boolean;
  /** Further fields of the form. */
  readonly children?: ReactNode;
}

const namedUsers = 5;

/** Names the users and asks, shows the progress of the calls, and then what failed. */
export function ManyDialog(props: ManyDialogProps) {
  const { users, title, text, action, isDestructive, request, secrets, onDone, onClose } = props;
  const { disabled = false, children } = props;
  const { select: messages } = useUsersMessages();
  const { number } = useFormats();
  const { results, isIdle, isPending, error, mutate } = request;
  const others = users.length - namedUsers;
  const named = users.slice(0, namedUsers).map(({ Username }) => Username);
  function close() {
    onDone(results.filter((result) => result.error === null).map(({ user }) => user));
    onClose();
  }
  return (
    <Dialog title={isIdle || isPending ? title : action} onClose={onClose} staysOpen={!isIdle}>
      {isIdle || isPending ? (
        <DialogForm
          onSubmit={(event) => {
            event.preventDefault();
            mutate();
          }}
          submit={action}
          request={{ isPending, error: null }}
          onCancel={onClose}
          disabled={disabled}
          {...(isDestructive && { color: 'red' })}
        >
          <Text>{text}</Text>
          <Text style={{ overflowWrap: 'anywhere' }}>
            {named.join(', ')}
            {others > 0 && ` ${messages.others(others, number(others))}`}
          </Text>
          {children}
          <Progress
            value={(results.length / users.length) * 100}
            aria-label={messages.progress(number(results.length), number(users.length))}
          />
        </DialogForm>
      ) : (
        <Results
          users={users}
          results={results}
          secrets={secrets}
          error={error}
          onRetry={() => mutate()}
          onClose={close}
        />
      )}
    </Dialog>
  );
}

interface ResultsProps {
  readonly users: readonly UserOfPrincipal[];
  readonly results: readonly UserResult[];
  readonly secrets: Secrets | undefined;
  /** The error of the call after which the action stopped; null if all users have a result. */
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly onClose: () => void;
}

/** The number of users that were changed, those that failed with their errors, and the new passwords. */
function Results({ users, results, secrets, error, onRetry, onClose }: ResultsProps) {
  const { select: messages, columns: names } = useUsersMessages();
  const { newPassword } = usePrincipalsMessages();
  const { number } = useFormats();
  const [isSaved, setIsSaved] = useState(false);
  const failed = results.filter((result) => result.error !== null);
  const done = results.length - failed.length;
  const mustSave = secrets !== undefined && failed.length < users.length;
  const columns: readonly Column<UserResult>[] = [
    { name: names.username, card: 'title', cell: ({ user }) => user.Username },
    { name: names.principal, card: 'full', cell: ({ user }) => nameOfPrincipal(user) },
    { name: messages.error, card: 'full', cell: (result) => result.error },
  ];

  return (
    <Stack>
      <Text role="status" fw={600} tabIndex={-1} ref={focusOnMount}>
        {messages.done(number(done), number(users.length))}{' '}
        {failed.length > 0 && messages.failed(failed.length, number(failed.length))}
      </Text>
      {error && <Failure error={error} title={messages.stopped} onRetry={onRetry} />}
      {mustSave && (
        <SaveOnce
          text={secrets.once}
          isSaved={isSaved}
          downloads={secrets.downloads.map(({ name, onSave }) => ({
            name,
            onSave: () => {
              onSave();
              setIsSaved(true);
            },
          }))}
        />
      )}
      {failed.length > 0 && (
        <Table
          caption={messages.failedCaption}
          columns={columns}
          rows={failed}
          keyOf={({ user }) => user.ID}
          error={null}
          onRetry={onRetry}
          empty={null}
        />
      )}
      <Group justify="flex-end">
        <Button
          variant={mustSave && !isSaved ? 'default' : 'filled'}
          disabled={mustSave && !isSaved}
          onClick={onClose}
        >
          {newPassword.done}
        </Button>
      </Group>
    </Stack>
  );
}
