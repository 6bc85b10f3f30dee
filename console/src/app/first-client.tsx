import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useCreateClient } from '../features/clients/queries.ts';
import { useSignIn } from '../features/session/session.ts';
import { useCommonMessages } from '../i18n/language.tsx';
import { DialogForm } from '../ui/dialog.tsx';
import { Failure } from '../ui/loading-or-error.tsx';
import { SecretDialog, useKeys } from '../ui/secret-dialog.tsx';

const allScopes = ['sync:write', 'sync:read', 'admin'] as const;

/** Ends protected mode: creates the first client, signs in with it at once, and shows its secret. */
export function FirstClient({ onClose }: { onClose: () => void }) {
  const { protected: messages } = useCommonMessages();
  const keysOf = useKeys();
  const create = useCreateClient();
  const signIn = useSignIn();
  const form = useForm({ initialValues: { Name: messages.usual } });
  return (
    <SecretDialog
      title={messages.dialog}
      isPending={create.isPending}
      secret={create.data && keysOf(create.data)}
      isBusy={signIn.isPending}
      note={signIn.error && <Failure error={signIn.error} title={messages.notSignedIn} />}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={form.onSubmit(({ Name }) =>
          create.mutate(
            { Name, Scopes: [...allScopes] },
            // Sign in at once: from now on the service rejects calls without a key.
            { onSuccess: ({ PublicKey, SecretKey }) => signIn.mutate({ PublicKey, SecretKey }) },
          ),
        )}
        submit={messages.create}
        request={create}
        onCancel={onClose}
      >
        <Text size="sm">{messages.intro}</Text>
        <TextInput
          label={messages.name}
          maxLength={255}
          required
          data-autofocus
          {...form.getInputProps('Name')}
        />
      </DialogForm>
    </SecretDialog>
  );
}
