import type { Client } from '@anagrafe/client';
import { Alert, Text } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useClientsMessages } from '../../i18n/messages.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { HoursForm } from '../../ui/hours-form.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { ShowKeysOnce } from '../../ui/show-secret-once.tsx';
import { useStayInSight } from '../session/watch-session.ts';
import { ClientForm } from './client-form.tsx';
import { useChangeClient, useCreateClient, useRevokeClient, useRotateClient } from './queries.ts';

export function Create({ onClose }: { onClose: () => void }) {
  const messages = useClientsMessages();
  const create = useCreateClient();
  const { data, error, isPending } = create;
  return (
    <Dialog
      title={data ? messages.created(data.Name) : messages.form.createTitle}
      opened
      onClose={onClose}
      lasting={data !== undefined || isPending}
    >
      {data ? (
        <ShowKeysOnce publicKey={data.PublicKey} secretKey={data.SecretKey} onDone={onClose} />
      ) : (
        <ClientForm
          start={{ Name: '', Scopes: ['sync:write', 'sync:read'], Networks: [], KnownByAddress: false }}
          submit={messages.form.submitCreate}
          busy={isPending}
          error={error}
          onSubmit={(choices) => create.mutate(choices)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}

/** Props of the dialogs that change one existing client. */
export interface ClientDialogProps {
  readonly client: Client;
  /** True for the client of the current console session. */
  readonly own: boolean;
  readonly onClose: () => void;
}

export function Edit({ client, own, onClose }: ClientDialogProps) {
  const messages = useClientsMessages();
  const notify = useNotice();
  const { mutate, error, isPending } = useChangeClient(client.PublicKey);
  return (
    <Dialog title={messages.form.editTitle(client.Name)} opened onClose={onClose} lasting={isPending}>
      <ClientForm
        start={client}
        own={own}
        submit={messages.form.submitEdit}
        busy={isPending}
        error={error}
        onSubmit={(choices) =>
          mutate(choices, {
            onSuccess: ({ Name }) => {
              notify(messages.saved(Name));
              onClose();
            },
          })
        }
        onCancel={onClose}
      />
    </Dialog>
  );
}

export function Rotate({ client, own, onClose }: ClientDialogProps) {
  const messages = useClientsMessages();
  const { moment } = useFormats();
  const rotate = useRotateClient(client.PublicKey, own);
  const { data, error, isPending } = rotate;
  useStayInSight(own && (isPending || data?.signedIn === false));

  return (
    <Dialog
      title={messages.rotateTitle(client.Name)}
      opened
      onClose={onClose}
      lasting={data !== undefined || isPending}
    >
      {data ? (
        <ShowKeysOnce publicKey={data.PublicKey} secretKey={data.SecretKey} onDone={onClose}>
          <Text size="sm">{messages.oldEnds(moment(new Date(data.OldEndsAt)))}</Text>
        </ShowKeysOnce>
      ) : (
        <HoursForm
          text={messages.rotateText}
          label={messages.hours}
          hint={messages.hoursHint}
          submit={messages.rotateSubmit}
          busy={isPending}
          error={error}
          onSubmit={(hours) => rotate.mutate(hours)}
          onCancel={onClose}
        >
          {own && (
            <Alert color="indigo" variant="light">
              {messages.rotateOwn}
            </Alert>
          )}
        </HoursForm>
      )}
    </Dialog>
  );
}

export function Revoke({ client, own, onClose }: ClientDialogProps) {
  const messages = useClientsMessages();
  const notify = useNotice();
  const { mutate, error, isPending } = useRevokeClient(client.PublicKey);
  return (
    <Confirm
      title={messages.revokeTitle(client.Name)}
      text={own ? `${messages.revokeText} ${messages.revokeOwn}` : messages.revokeText}
      action={messages.revoke}
      name={client.Name}
      busy={isPending}
      error={error}
      onConfirm={() =>
        mutate(undefined, {
          onSuccess: () => {
            notify(messages.revokedNotice(client.Name));
            onClose();
          },
        })
      }
      onClose={onClose}
    />
  );
}
