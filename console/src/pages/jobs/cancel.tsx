import { useCancelJob } from '../../api/jobs.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useNotice } from '../../parts/notice.tsx';
import { useWords } from './words.ts';

export function Cancel({ id, onClose }: { id: string; onClose: () => void }) {
  const words = useWords();
  const say = useNotice();
  const { mutate, error, isPending } = useCancelJob(id);
  return (
    <Confirm
      title={words.cancelTitle(id.slice(0, 8))}
      text={words.cancelText}
      action={words.cancel}
      busy={isPending}
      error={error}
      onConfirm={() =>
        mutate(undefined, {
          onSuccess: () => {
            say(words.cancelled);
            onClose();
          },
        })
      }
      onClose={onClose}
    />
  );
}
