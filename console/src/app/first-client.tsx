import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useCreateClient } from '../features/clients/queries.ts';
import { useSession, useSignIn } from '../features/session/session.ts';
import { useCommonMessages } from '../i18n/language.tsx';
import { DialogForm } from '../ui/dialog.tsx';
import { Failure } from '../ui/loading-or-error.tsx';
import { SecretDialog, useKeys } from '../ui/secret-dialog.tsx';

/** The scopes that the samples need, and the one that its own sign-in to the console needs. */
const sampleScopes = ['sync:write', 'sync:read'] as const;
const allScopes = [...sampleScopes, 'admin'] as const;

/** Ends protected mode: creates the first client, signs in with it unless an operator is signed in, and shows its secret. */
export function FirstClient({ onClose }: { onClose: () => void }) {
  const { protected: messages } = useCommonMessages();
  const keysOf = useKeys();
  const queries = useQueryClient();
  const create = useCreateClient();
  const signIn = useSignIn();
  const isOperator = !!useSession().data?.Operator;
  const form = useForm({ initialValues: { Name: isOperator ? 'erp' : messages.usual } });
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
            { Name, Scopes: [...(isOperator ? sampleScopes : allScopes)] },
            {
              onSuccess: ({ PublicKey, SecretKey }) => {
                void queries.invalidateQueries({ queryKey: ['setup'] });
                // Sign in at once: from now on the service rejects calls without a key.
                if (!isOperator) signIn.mutate({ PublicKey, SecretKey });
              },
            },
          ),
        )}
        submit={isOperator ? messages.createOnly : messages.create}
        request={create}
        onCancel={onClose}
      >
        <Text size="sm">{isOperator ? messages.introOperator : messages.intro}</Text>
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
