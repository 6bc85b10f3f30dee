import { useCreateWebhook } from '../../api/webhooks.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SecretHandover } from './handover.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { useWords } from './words.ts';

export function Create({ onClose }: { onClose: () => void }) {
  const words = useWords();
  const { data, error, isPending, mutate } = useCreateWebhook();
  return (
    <Dialog
      title={data ? words.created : words.form.createTitle}
      opened
      onClose={onClose}
      lasting={data !== undefined || isPending}
    >
      {data ? (
        <SecretHandover secret={data.Secret} onDone={onClose} />
      ) : (
        <WebhookForm
          start={{ URL: '', Types: [], Granularity: 'record' }}
          submit={words.form.submitCreate}
          busy={isPending}
          error={error}
          onSubmit={(choices) => mutate(choices)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}
