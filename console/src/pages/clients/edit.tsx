import type { Client } from '@anagrafe/client';
import { useChangeClient } from '../../api/clients.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.tsx';
import { ClientForm } from './client-form.tsx';
import { useWords } from './words.ts';

/** What is done to one client, in front of the list. */
export interface ActProps {
  readonly client: Client;
  /** Whether it is the client that is signed in. */
  readonly own: boolean;
  readonly onClose: () => void;
}

export function Edit({ client, own, onClose }: ActProps) {
  const words = useWords();
  const say = useNotice();
  const { mutate, error, isPending } = useChangeClient(client.PublicKey);
  return (
    <Dialog title={words.form.editTitle(client.Name)} opened onClose={onClose} lasting={isPending}>
      <ClientForm
        start={client}
        own={own}
        submit={words.form.submitEdit}
        busy={isPending}
        error={error}
        onSubmit={(choices) =>
          mutate(choices, {
            onSuccess: ({ Name }) => {
              say(words.saved(Name));
              onClose();
            },
          })
        }
        onCancel={onClose}
      />
    </Dialog>
  );
}
