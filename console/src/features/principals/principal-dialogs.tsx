import { type Principal, principalFields } from '@anagrafe/client';
import { SimpleGrid, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useLocation } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { usePrincipalsMessages } from '../../i18n/language.tsx';
import { ConfirmDialog, Dialog, DialogForm, useFinish } from '../../ui/dialog.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { tagsIn } from '../../ui/tags.tsx';
import { nameOf } from '../users/find-principals.ts';
import { type FieldErrors, messageAt, useRecordForm } from '../users/record-form.ts';
import { oppositeState, SetState } from '../users/user-state.tsx';
import {
  type PrincipalTexts,
  principalFieldNames,
  useCreatePrincipal,
  useDeletePrincipal,
  useEditPrincipal,
} from './queries.ts';

const fields = principalFieldNames;
const emptyInput = Object.fromEntries(fields.map((field) => [field, ''])) as PrincipalTexts;
const isField = (path: string) => fields.some((field) => field === path);

interface PrincipalFieldsProps {
  readonly form: UseFormReturnType<PrincipalTexts>;
  readonly errors: FieldErrors;
  readonly busy: boolean;
  /** Returns the path of a field in the errors of the service. */
  readonly pathOf?: (field: keyof PrincipalTexts) => string;
}

function PrincipalFields({ form, errors, busy, pathOf = (field) => field }: PrincipalFieldsProps) {
  const messages = usePrincipalsMessages();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {fields.map((field, index) => (
        <TextInput
          key={field}
          label={messages.fields[field]}
          type={principalFields[field].format}
          readOnly={busy}
          autoComplete="off"
          {...form.getInputProps(field)}
          error={messageAt(errors, pathOf(field))}
          {...(index === 0 && { 'data-autofocus': true })}
        />
      ))}
    </SimpleGrid>
  );
}

function textOf(value: string | readonly string[] | null): string {
  return typeof value === 'string' ? value : (value ?? []).join(', ');
}

export function CreatePrincipal({ onClose }: { onClose: () => void }) {
  const messages = usePrincipalsMessages();
  const notify = useNotice();
  const [, goTo] = useLocation();
  const request = useCreatePrincipal();
  const { isPending, mutate } = request;
  const { form, errors, dialogForm } = useRecordForm({ request, initialValues: emptyInput, shows: isField });
  const create = (texts: PrincipalTexts) =>
    mutate(
      {
        ...Object.fromEntries(fields.map((field) => [field, texts[field].trim() || null])),
        // A principal needs a field that is not empty, and an empty list would be one.
        Tags: texts.Tags.trim() === '' ? null : tagsIn(texts.Tags),
      },
      {
        onSuccess: (id) => {
          notify(messages.created);
          goTo(`/principals/${id}`);
        },
      },
    );
  return (
    <Dialog title={messages.create} onClose={onClose} staysOpen={isPending}>
      <DialogForm
        {...dialogForm}
        onSubmit={form.onSubmit(create)}
        submit={messages.submitCreate}
        onCancel={onClose}
      >
        <Text size="sm" c="dimmed">
          {messages.createIntro}
        </Text>
        <PrincipalFields form={form} errors={errors} busy={isPending} />
      </DialogForm>
    </Dialog>
  );
}

/** `ExternalKey` of a record names its principal; `NewExternalKey` changes it. */
const editPath = (field: keyof PrincipalTexts) => (field === 'ExternalKey' ? 'NewExternalKey' : field);
const isEditedField = (path: string) => fields.some((field) => editPath(field) === path);

export function EditPrincipal({ principal, onClose }: { principal: Principal; onClose: () => void }) {
  const { edit: messages } = usePrincipalsMessages();
  const finish = useFinish(onClose);
  const request = useEditPrincipal(principal.ID);
  const { isPending, mutate } = request;
  const stored = Object.fromEntries(
    fields.map((field) => [field, textOf(principal[field])]),
  ) as PrincipalTexts;
  const { form, errors, dialogForm } = useRecordForm({
    request,
    initialValues: stored,
    shows: isEditedField,
  });
  const changed = fields
    .map((field) => [field, form.values[field].trim()] as const)
    .filter(([field, text]) => text !== stored[field]);
  return (
    <Dialog title={messages.title(nameOf(principal))} onClose={onClose} staysOpen={isPending}>
      <DialogForm
        {...dialogForm}
        onSubmit={form.onSubmit(() =>
          mutate(Object.fromEntries(changed), { onSuccess: () => finish(messages.done) }),
        )}
        submit={messages.submit}
        disabled={changed.length === 0}
        onCancel={onClose}
      >
        <PrincipalFields form={form} errors={errors} busy={isPending} pathOf={editPath} />
      </DialogForm>
    </Dialog>
  );
}

export function DeletePrincipal({ principal, onClose }: { principal: Principal; onClose: () => void }) {
  const { remove: messages } = usePrincipalsMessages();
  const { number } = useFormats();
  const notify = useNotice();
  const [, goTo] = useLocation();
  const request = useDeletePrincipal();
  const name = nameOf(principal);
  return (
    <ConfirmDialog
      title={messages.title(name)}
      text={messages.text(principal.UsersCount, number(principal.UsersCount))}
      action={messages.submit}
      name={name}
      request={request}
      onConfirm={() =>
        request.mutate(principal.ID, {
          onSuccess: () => {
            notify(messages.done(name));
            goTo('/principals');
          },
        })
      }
      onClose={onClose}
    />
  );
}

export function SetPrincipalState({ principal, onClose }: { principal: Principal; onClose: () => void }) {
  const next = oppositeState[principal.State];
  const record = { ID: principal.ID, State: next };
  return <SetState of="principal" name={nameOf(principal)} {...{ next, record, onClose }} />;
}
