import { useChangeWebhook } from '../../api/webhooks.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.tsx';
import { WebhookForm } from './webhook-form.tsx';
import type { ActProps } from './webhooks.tsx';
import { useWords } from './words.ts';

export function Edit({ webhook, onClose }: ActProps) {
  const words = useWords();
  const say = useNotice();
  const { mutate, error, isPending } = useChangeWebhook();
  return (
    <Dialog title={words.form.editTitle} opened onClose={onClose} lasting={isPending}>
      <WebhookForm
        start={webhook}
        submit={words.form.submitEdit}
        busy={isPending}
        error={error}
        onSubmit={(choices) =>
          mutate(
            { id: webhook.ID, ...choices },
            {
              onSuccess: () => {
                say(words.saved);
                onClose();
              },
            },
          )
        }
        onCancel={onClose}
      />
    </Dialog>
  );
}
