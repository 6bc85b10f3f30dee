import {
  type Principal,
  principalFields,
  type State,
  type StateRecord,
  type UserOfPrincipal,
} from '@anagrafe/client';
import { Badge, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useLocation } from 'wouter';
import { usePrincipalsMessages } from '../../i18n/language.tsx';
import { ConfirmDialog, Dialog, DialogForm, useFinish } from '../../ui/dialog.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { errorBesides, faultsOf, sentenceAt, useFaultFocus } from './form-errors.ts';
import { nameOf, principalFieldNames, useCreatePrincipal, useSetState } from './queries.ts';

const fields = principalFieldNames;
const emptyInput = Object.fromEntries(fields.map((field) => [field, ''])) as Record<
  keyof typeof principalFields,
  string
>;

export function Create({ onClose }: { onClose: () => void }) {
  const messages = usePrincipalsMessages();
  const notify = useNotice();
  const [, goTo] = useLocation();
  const { mutate, error, isPending, reset } = useCreatePrincipal();
  const form = useForm({
    initialValues: emptyInput,
    onValuesChange: () => error && reset(),
    transformValues: (texts) =>
      Object.fromEntries(fields.map((field) => [field, texts[field].trim() || null])),
  });
  return (
    <Dialog title={messages.create} onClose={onClose} lasting={isPending}>
      <DialogForm
        ref={useFaultFocus(error)}
        noValidate
        onSubmit={form.onSubmit((record) =>
          mutate(record, {
            onSuccess: (id) => {
              notify(messages.created);
              goTo(`/principals/${id}`);
            },
          }),
        )}
        submit={messages.submitCreate}
        request={{ isPending, error: errorBesides(error, fields) }}
        onCancel={onClose}
      >
        <Text size="sm" c="dimmed">
          {messages.createIntro}
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {fields.map((field, index) => (
            <TextInput
              key={field}
              label={messages.fields[field]}
              type={principalFields[field].format}
              autoComplete="off"
              {...form.getInputProps(field)}
              error={sentenceAt(faultsOf(error), field)}
              {...(index === 0 && { 'data-autofocus': true })}
            />
          ))}
        </SimpleGrid>
      </DialogForm>
    </Dialog>
  );
}

/** The badge of a state. `of` selects the label, because the Italian labels differ in gender. */
export function StateBadge({ of, state }: { of: 'principal' | 'user'; state: State }) {
  const { states } = usePrincipalsMessages();
  const look = state === 'active' ? { variant: 'default' } : { variant: 'light', color: 'red' };
  return (
    <Badge flex="none" {...look}>
      {states[of][state]}
    </Badge>
  );
}

const opposite = { active: 'disabled', disabled: 'active' } as const;

interface SetStateProps {
  readonly of: 'principal' | 'user';
  readonly name: string;
  readonly next: State;
  readonly record: StateRecord;
  readonly onClose: () => void;
}

function SetState({ of, name, next, record, onClose }: SetStateProps) {
  const messages = usePrincipalsMessages().turn[next];
  const finish = useFinish(onClose);
  const request = useSetState();
  return (
    <ConfirmDialog
      title={messages.title(name)}
      text={messages[of]}
      action={messages.action}
      gentle={next === 'active'}
      request={request}
      onConfirm={() => request.mutate(record, { onSuccess: () => finish(messages.done(name)) })}
      onClose={onClose}
    />
  );
}

export function SwitchPrincipal({ principal, onClose }: { principal: Principal; onClose: () => void }) {
  const next = opposite[principal.State];
  const record = { ID: principal.ID, State: next };
  return <SetState of="principal" name={nameOf(principal)} {...{ next, record, onClose }} />;
}

export function SwitchUser({ user, onClose }: { user: UserOfPrincipal; onClose: () => void }) {
  const next = opposite[user.State];
  const record = { ID: user.IRID, Users: [{ ID: user.ID, State: next }] };
  return <SetState of="user" name={user.Username} {...{ next, record, onClose }} />;
}
