import type { State, UserOfPrincipal } from '@anagrafe/client';
import { NativeSelect } from '@mantine/core';
import { usePrincipalsMessages, useUsersMessages } from '../../i18n/language.tsx';
import { ConfirmDialog, Dialog, DialogForm, useFinish } from '../../ui/dialog.tsx';
import {
  type AttributeInput,
  AttributesField,
  areSameAttributes,
  attributeInputs,
  attributesOf,
  repeatedNames,
} from './attributes-field.tsx';
import { type UserChanges, type UserTexts, useDeleteUser, useEditUser, userTextFields } from './queries.ts';
import { messageAt, useRecordForm } from './record-form.ts';
import { MustChange } from './user-dialogs.tsx';
import { UserFields } from './user-fields.tsx';

type EditInput = UserTexts & {
  readonly Username: string;
  readonly State: State;
  readonly MustChangePassword: boolean;
  readonly attributes: readonly AttributeInput[];
};

/** `Username` of an item names the user; `NewUsername` changes it. */
const pathOf = (field: string) => `Users[0].${field === 'Username' ? 'NewUsername' : field}`;
const fieldPaths = ['Username', 'State', ...userTextFields].map(pathOf);
const shows = (path: string) => fieldPaths.includes(path) || path.startsWith(pathOf('Attributes'));

/** An invited user is enabled. */
function stateOf({ State }: UserOfPrincipal): State {
  return State === 'disabled' ? State : 'active';
}

function inputOf(user: UserOfPrincipal): EditInput {
  const texts = userTextFields.map((field) => [field, user[field] ?? '']);
  return {
    ...(Object.fromEntries(texts) as UserTexts),
    Username: user.Username,
    State: stateOf(user),
    MustChangePassword: user.MustChangePassword,
    attributes: attributeInputs(user.Attributes ?? {}),
  };
}

/**
 * Returns the fields that differ from the stored user. An empty text clears its field. A field that was not edited keeps
 * its outer spaces.
 */
function changesOf(user: UserOfPrincipal, input: EditInput): UserChanges {
  const edited = (text: string, stored: string) => (text === stored ? stored : text.trim());
  const texts = userTextFields
    .map((field) => [field, edited(input[field], user[field] ?? '')] as const)
    .filter(([field, text]) => text !== (user[field] ?? ''));
  const Username = edited(input.Username, user.Username);
  const Attributes = attributesOf(input.attributes);
  return {
    ...(Username !== user.Username && { NewUsername: Username }),
    ...Object.fromEntries(texts),
    ...(input.State !== stateOf(user) && { State: input.State }),
    ...(input.MustChangePassword !== user.MustChangePassword && {
      MustChangePassword: input.MustChangePassword,
    }),
    ...(!areSameAttributes(Attributes, user.Attributes ?? {}) && { Attributes }),
  };
}

export function EditUser({ user, onClose }: { user: UserOfPrincipal; onClose: () => void }) {
  const { edit: messages, columns } = useUsersMessages();
  const { states } = usePrincipalsMessages();
  const finish = useFinish(onClose);
  const request = useEditUser(user);
  const { isPending, mutate } = request;
  const { form, errors, dialogForm } = useRecordForm({ request, initialValues: inputOf(user), shows });
  const errorAt = (field: string) => messageAt(errors, pathOf(field));
  const changes = changesOf(user, form.values);
  return (
    <Dialog title={messages.title(user.Username)} onClose={onClose} staysOpen={isPending}>
      <DialogForm
        {...dialogForm}
        onSubmit={form.onSubmit(() =>
          mutate(changes, { onSuccess: () => finish(messages.done(changes.NewUsername ?? user.Username)) }),
        )}
        submit={messages.submit}
        disabled={Object.keys(changes).length === 0 || repeatedNames(form.values.attributes).size > 0}
        onCancel={onClose}
      >
        <UserFields inputProps={form.getInputProps} errorAt={errorAt} busy={isPending}>
          <NativeSelect
            label={columns.state}
            disabled={isPending}
            data={(['active', 'disabled'] as const).map((value) => ({ value, label: states.user[value] }))}
            {...form.getInputProps('State')}
            error={errorAt('State')}
          />
        </UserFields>
        {user.State !== 'invited' && <MustChange form={form} busy={isPending} />}
        <AttributesField
          inputs={form.values.attributes}
          onChange={(attributes) => form.setFieldValue('attributes', attributes)}
          errorAt={(name) => errorAt(name === null ? 'Attributes' : `Attributes.${name}`)}
          busy={isPending}
        />
      </DialogForm>
    </Dialog>
  );
}

interface DeleteUserProps {
  readonly user: UserOfPrincipal;
  readonly onDeleted?: () => void;
  readonly onClose: () => void;
}

export function DeleteUser({ user, onDeleted, onClose }: DeleteUserProps) {
  const { remove: messages } = useUsersMessages();
  const finish = useFinish(onClose);
  const request = useDeleteUser();
  return (
    <ConfirmDialog
      title={messages.title(user.Username)}
      text={messages.text}
      action={messages.submit}
      name={user.Username}
      request={request}
      onConfirm={() =>
        request.mutate(user, {
          onSuccess: () => {
            finish(messages.done(user.Username));
            onDeleted?.();
          },
        })
      }
      onClose={onClose}
    />
  );
}
