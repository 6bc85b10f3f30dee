import type { Client, CreateClient, Scope } from '@anagrafe/client';
import { Alert, Checkbox, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useClientsMessages } from '../../i18n/language.tsx';
import { ConfirmDialog, Dialog, DialogForm, type DialogFormProps, useFinish } from '../../ui/dialog.tsx';
import { RotateDialog, SecretDialog, useKeys } from '../../ui/secret-dialog.tsx';
import { LimitField, tagsIn } from '../../ui/tags.tsx';
import { useKeepVisible } from '../session/watch-session.ts';
import { useChangeClient, useCreateClient, useRevokeClient, useRotateClient } from './queries.ts';

type Choices = Pick<Client, 'Name' | 'Scopes' | 'Networks' | 'KnownByAddress'>;

interface ClientFormProps extends Pick<DialogFormProps, 'submit' | 'request' | 'onCancel'> {
  readonly start: Choices;
  /** True for the client of the current console session: the form warns before it loses the scope `admin`. */
  readonly own?: boolean;
  /** True for a new client, which can be limited to tags. */
  readonly isNew?: boolean;
  readonly onSubmit: (choices: Choices & Pick<CreateClient, 'Tags'>) => void;
}

const scopes: readonly Scope[] = ['sync:write', 'sync:read', 'admin'];

function ClientForm({ start, own = false, isNew = false, onSubmit, ...rest }: ClientFormProps) {
  const { form: messages } = useClientsMessages();
  const form = useForm({
    initialValues: {
      Name: start.Name,
      Scopes: start.Scopes,
      networks: start.Networks.join('\n'),
      KnownByAddress: start.KnownByAddress,
      tags: '',
    },
    transformValues: ({ networks, tags, Scopes, ...others }) => ({
      ...others,
      ...(tags.trim() !== '' && { Tags: tagsIn(tags) }),
      Scopes: scopes.filter((scope) => Scopes.includes(scope)),
      Networks: networks.split(/[\s,;]+/).filter((network) => network !== ''),
    }),
    validate: { Scopes: (chosen) => chosen.length === 0 && messages.scopesMissing },
  });
  return (
    <DialogForm onSubmit={form.onSubmit(onSubmit)} {...rest}>
      <TextInput
        label={messages.name}
        description={messages.nameHint}
        maxLength={255}
        required
        data-autofocus
        {...form.getInputProps('Name')}
      />
      <Checkbox.Group label={messages.scopes} {...form.getInputProps('Scopes')}>
        <Stack gap="xs" mt="xs">
          {scopes.map((scope) => (
            <Checkbox key={scope} value={scope} label={messages.scope[scope]} />
          ))}
        </Stack>
      </Checkbox.Group>
      {own && !form.values.Scopes.includes('admin') && (
        <Alert color="yellow" variant="light" role="status">
          {messages.ownScope}
        </Alert>
      )}
      <Textarea
        label={messages.networks}
        description={messages.networksHint}
        autosize
        minRows={2}
        maxRows={6}
        spellCheck={false}
        {...form.getInputProps('networks')}
      />
      <Switch
        label={messages.knownByAddress}
        description={messages.knownByAddressHint}
        {...form.getInputProps('KnownByAddress', { type: 'checkbox' })}
      />
      {isNew && <LimitField {...form.getInputProps('tags')} />}
    </DialogForm>
  );
}

const newClient: Choices = {
  Name: '',
  Scopes: ['sync:write', 'sync:read'],
  Networks: [],
  KnownByAddress: false,
};

export function Create({ onClose }: { onClose: () => void }) {
  const messages = useClientsMessages();
  const keysOf = useKeys();
  const request = useCreateClient();
  const { data, isPending, mutate } = request;
  return (
    <SecretDialog
      title={data ? messages.created(data.Name) : messages.form.createTitle}
      isPending={isPending}
      secret={data && keysOf(data)}
      onClose={onClose}
    >
      <ClientForm
        start={newClient}
        isNew
        submit={messages.form.submitCreate}
        request={request}
        onSubmit={(choices) => mutate(choices)}
        onCancel={onClose}
      />
    </SecretDialog>
  );
}

interface ClientDialogProps {
  readonly client: Client;
  /** True for the client of the current console session. */
  readonly own: boolean;
  readonly onClose: () => void;
}

export function Edit({ client, own, onClose }: ClientDialogProps) {
  const messages = useClientsMessages();
  const finish = useFinish(onClose);
  const request = useChangeClient(client.PublicKey);
  return (
    <Dialog title={messages.form.editTitle(client.Name)} onClose={onClose} staysOpen={request.isPending}>
      <ClientForm
        start={client}
        own={own}
        submit={messages.form.submitEdit}
        request={request}
        onSubmit={(choices) =>
          request.mutate(choices, { onSuccess: ({ Name }) => finish(messages.saved(Name)) })
        }
        onCancel={onClose}
      />
    </Dialog>
  );
}

export function Rotate({ client, own, onClose }: ClientDialogProps) {
  const messages = useClientsMessages();
  const request = useRotateClient(client.PublicKey, own);
  useKeepVisible(own && (request.isPending || request.data?.signedIn === false));
  return (
    <RotateDialog
      title={messages.rotateTitle(client.Name)}
      messages={messages}
      request={request}
      secretOf={useKeys()}
      onClose={onClose}
    >
      {own && (
        <Alert color="indigo" variant="light">
          {messages.rotateOwn}
        </Alert>
      )}
    </RotateDialog>
  );
}

export function Revoke({ client, own, onClose }: ClientDialogProps) {
  const messages = useClientsMessages();
  const finish = useFinish(onClose);
  const request = useRevokeClient(client.PublicKey);
  return (
    <ConfirmDialog
      title={messages.revokeTitle(client.Name)}
      text={own ? `${messages.revokeText} ${messages.revokeOwn}` : messages.revokeText}
      action={messages.revoke}
      name={client.Name}
      request={request}
      onConfirm={() =>
        request.mutate(undefined, { onSuccess: () => finish(messages.revokedNotice(client.Name)) })
      }
      onClose={onClose}
    />
  );
}
