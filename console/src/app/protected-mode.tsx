import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useCreateClient } from '../features/clients/queries.ts';
import { useSignIn } from '../features/session/session.ts';
import { useCommonMessages } from '../i18n/messages.ts';
import { Dialog, FormButtons } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Failure } from '../ui/loading-or-error.tsx';
import { ShowKeysOnce } from '../ui/show-secret-once.tsx';

/** Explains protected mode, which requires no sign-in, and offers to create the first client. */
export function ProtectedBanner({ onCreate }: { onCreate: () => void }) {
  const messages = useCommonMessages().protected;
  return (
    <Alert title={messages.title} color="indigo" variant="light" icon={<Icon name="info" />} mb="lg">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" maw={820}>
          {messages.text}
        </Text>
        <Button size="xs" onClick={onCreate}>
          {messages.action}
        </Button>
      </Stack>
    </Alert>
  );
}

const allScopes = ['sync:write', 'sync:read', 'admin'] as const;

/** Ends protected mode: creates the first client, signs in with it at once, and shows its secret. */
export function FirstClient({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const messages = useCommonMessages();
  const [name, setName] = useState(messages.protected.usual);
  const create = useCreateClient();
  const signIn = useSignIn();

  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate(
      { Name: name, Scopes: [...allScopes] },
      // Sign in at once: from now on the service rejects calls without a key.
      { onSuccess: ({ PublicKey, SecretKey }) => signIn.mutate({ PublicKey, SecretKey }) },
    );
  }

  function close() {
    create.reset();
    signIn.reset();
    onClose();
  }

  return (
    <Dialog
      title={messages.protected.dialog}
      opened={opened}
      onClose={close}
      lasting={create.isSuccess || create.isPending}
    >
      {create.data ? (
        <ShowKeysOnce
          publicKey={create.data.PublicKey}
          secretKey={create.data.SecretKey}
          busy={signIn.isPending}
          onDone={close}
        >
          {signIn.error && <Failure error={signIn.error} title={messages.protected.notSignedIn} />}
        </ShowKeysOnce>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">{messages.protected.intro}</Text>
            <TextInput
              label={messages.protected.name}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              maxLength={255}
              required
              withAsterisk={false}
              data-autofocus
            />
            {create.error && <Failure error={create.error} />}
            <FormButtons submit={messages.protected.create} busy={create.isPending} onCancel={close} />
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
