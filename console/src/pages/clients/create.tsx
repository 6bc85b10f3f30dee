import { useCreateClient } from '../../api/clients.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { KeysHandover } from '../../parts/keys-handover.tsx';
import { ClientForm } from './client-form.tsx';
import { useWords } from './words.ts';

export function Create({ onClose }: { onClose: () => void }) {
  const words = useWords();
  const create = useCreateClient();
  const { data, error, isPending } = create;
  return (
    <Dialog
      title={data ? words.created(data.Name) : words.form.createTitle}
      opened
      onClose={onClose}
      lasting={data !== undefined || isPending}
    >
      {data ? (
        <KeysHandover publicKey={data.PublicKey} secretKey={data.SecretKey} onDone={onClose} />
      ) : (
        <ClientForm
          start={{ Name: '', Scopes: ['sync:write', 'sync:read'], Networks: [], KnownByAddress: false }}
          submit={words.form.submitCreate}
          busy={isPending}
          error={error}
          onSubmit={(choices) => create.mutate(choices)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}
