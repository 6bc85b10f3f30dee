import { useRemoveWebhook } from '../../api/webhooks.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useNotice } from '../../parts/notice.tsx';
import type { ActProps } from './webhooks.tsx';
import { useWords } from './words.ts';

export function Remove({ webhook, onClose }: ActProps) {
  const words = useWords();
  const say = useNotice();
  const { mutate, error, isPending } = useRemoveWebhook(webhook.ID);
  return (
    <Confirm
      title={words.removeTitle}
      text={words.removeText(webhook.URL)}
      action={words.remove}
      busy={isPending}
      error={error}
      onConfirm={() =>
        mutate(undefined, {
          onSuccess: () => {
            say(words.removed);
            onClose();
          },
        })
      }
      onClose={onClose}
    />
  );
}
