import { Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useCreateClient } from '../api/clients.ts';
import { useSignIn } from '../api/session.ts';
import { useWords } from '../language/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { KeysHandover } from '../parts/keys-handover.tsx';

const everything = ['sync:write', 'sync:read', 'admin'] as const;

/** Ends protected mode: creates the first client, signs in with it at once, and shows its secret. */
export function FirstClient({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const words = useWords();
  const [name, setName] = useState(words.protected.usual);
  const create = useCreateClient();
  const signIn = useSignIn();

  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate(
      { Name: name, Scopes: [...everything] },
      // Without a pause: from now on no call is served without a key.
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
      title={words.protected.dialog}
      opened={opened}
      onClose={close}
      lasting={create.isSuccess || create.isPending}
    >
      {create.data ? (
        <KeysHandover
          publicKey={create.data.PublicKey}
          secretKey={create.data.SecretKey}
          busy={signIn.isPending}
          onDone={close}
        >
          {signIn.error && <Failure error={signIn.error} title={words.protected.notSignedIn} />}
        </KeysHandover>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">{words.protected.intro}</Text>
            <TextInput
              label={words.protected.name}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              maxLength={255}
              required
              withAsterisk={false}
              data-autofocus
            />
            {create.error && <Failure error={create.error} />}
            <FormButtons submit={words.protected.create} busy={create.isPending} onCancel={close} />
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
