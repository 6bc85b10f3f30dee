import type { InvitedOperator, Operator, Role } from '@anagrafe/client';
import { Checkbox, Radio, Stack, Text, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useFormats } from '../../i18n/formats.ts';
import { useOperatorsMessages, usePeopleMessages } from '../../i18n/language.tsx';
import { ConfirmDialog, Dialog, DialogForm, useFinish } from '../../ui/dialog.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { LimitField, tagsIn } from '../../ui/tags.tsx';
import { useSession } from '../session/session.ts';
import { useChangeOperator, useInviteOperator, useResetOperator, useSessionsOf } from './queries.ts';
import { SessionsList } from './sessions-list.tsx';

const roles = ['viewer', 'desk', 'editor', 'admin'] as const satisfies readonly Role[];

interface RoleFields {
  readonly Name: string;
  readonly Role: Role;
}

function RoleFields<Values extends RoleFields>({ form }: { form: UseFormReturnType<Values> }) {
  const { form: messages, may } = useOperatorsMessages();
  const { role } = usePeopleMessages();
  return (
    <>
      <TextInput label={messages.name} maxLength={255} required {...form.getInputProps('Name')} />
      <Radio.Group label={messages.role} {...form.getInputProps('Role')}>
        <Stack gap="xs" mt="xs">
          {roles.map((one) => (
            <Radio key={one} value={one} label={role[one]} description={may[one]} />
          ))}
        </Stack>
      </Radio.Group>
    </>
  );
}

/** The code of an invitation or a reset, and the link with it. */
function useCode(): (
  invited: InvitedOperator,
  byMail: boolean,
) => Parameters<typeof SecretDialog>[0]['secret'] {
  const { code: messages } = useOperatorsMessages();
  const { moment } = useFormats();
  return ({ Email, Code, URL, ExpiresAt }, byMail) => ({
    once: `${messages.once(moment(new Date(ExpiresAt)))}${byMail ? ` ${messages.mailed(Email)}` : ''}`,
    values: [
      { label: messages.link, value: URL ?? `${location.origin}/console/password#${Code}` },
      { label: messages.code, value: Code },
    ],
    done: messages.done,
  });
}

export function Invite({ onClose }: { onClose: () => void }) {
  const messages = useOperatorsMessages();
  const codeOf = useCode();
  const { SendsMail } = useSession().data ?? {};
  const request = useInviteOperator();
  const { data, isPending, mutate } = request;
  const form = useForm({
    initialValues: { Email: '', Name: '', Role: 'desk' as Role, tags: '', Mail: SendsMail ?? false },
  });
  return (
    <SecretDialog
      title={data ? messages.invited(data.Name) : messages.invite}
      isPending={isPending}
      secret={data && codeOf(data, form.values.Mail)}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={form.onSubmit(({ tags, ...values }) =>
          mutate({ ...values, Tags: tags.trim() === '' ? null : tagsIn(tags) }),
        )}
        submit={messages.form.submitInvite}
        request={request}
        onCancel={onClose}
      >
        <TextInput
          type="email"
          label={messages.form.email}
          maxLength={254}
          required
          data-autofocus
          {...form.getInputProps('Email')}
        />
        <RoleFields form={form} />
        <LimitField {...form.getInputProps('tags')} />
        {SendsMail && (
          <Checkbox label={messages.form.mail} {...form.getInputProps('Mail', { type: 'checkbox' })} />
        )}
      </DialogForm>
    </SecretDialog>
  );
}

interface OperatorDialogProps {
  readonly operator: Operator;
  readonly onClose: () => void;
}

export function Edit({ operator: { ID, Name, Role }, onClose }: OperatorDialogProps) {
  const messages = useOperatorsMessages();
  const finish = useFinish(onClose);
  const request = useChangeOperator(ID);
  const form = useForm({ initialValues: { Name, Role } });
  return (
    <Dialog title={messages.editTitle(Name)} onClose={onClose} staysOpen={request.isPending}>
      <DialogForm
        onSubmit={form.onSubmit((values) =>
          request.mutate(values, { onSuccess: (changed) => finish(messages.saved(changed.Name)) }),
        )}
        submit={messages.form.submitEdit}
        request={request}
        onCancel={onClose}
      >
        <RoleFields form={form} />
      </DialogForm>
    </Dialog>
  );
}

export function Reset({ operator: { ID, Name }, onClose }: OperatorDialogProps) {
  const messages = useOperatorsMessages();
  const codeOf = useCode();
  const { SendsMail } = useSession().data ?? {};
  const request = useResetOperator(ID);
  const form = useForm({ initialValues: { Mail: SendsMail ?? false } });
  return (
    <SecretDialog
      title={messages.resetTitle(Name)}
      isPending={request.isPending}
      secret={request.data && codeOf(request.data, form.values.Mail)}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={form.onSubmit(({ Mail }) => request.mutate(Mail))}
        submit={messages.reset}
        request={request}
        onCancel={onClose}
        color="red"
      >
        <Text>{messages.resetText}</Text>
        {SendsMail && (
          <Checkbox label={messages.form.mail} {...form.getInputProps('Mail', { type: 'checkbox' })} />
        )}
      </DialogForm>
    </SecretDialog>
  );
}

/** Disables an operator, or enables one that is disabled. */
export function SetState({ operator: { ID, Name, State }, onClose }: OperatorDialogProps) {
  const messages = useOperatorsMessages();
  const finish = useFinish(onClose);
  const request = useChangeOperator(ID);
  const enables = State === 'disabled';
  return (
    <ConfirmDialog
      title={enables ? messages.enableTitle(Name) : messages.disableTitle(Name)}
      text={enables ? messages.enableText : messages.disableText}
      action={enables ? messages.enable : messages.disable}
      harmless={enables}
      request={request}
      onConfirm={() =>
        request.mutate(
          { State: enables ? 'active' : 'disabled' },
          { onSuccess: () => finish(messages.saved(Name)) },
        )
      }
      onClose={onClose}
    />
  );
}

export function Sessions({ operator: { ID, Name }, onClose }: OperatorDialogProps) {
  const { sessions: messages } = useOperatorsMessages();
  return (
    <Dialog title={messages.title(Name)} onClose={onClose}>
      <SessionsList title={messages.list} endAll={messages.endAll} {...useSessionsOf(ID)} />
    </Dialog>
  );
}
