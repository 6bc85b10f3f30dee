import { useRevokeClient } from '../../api/clients.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useNotice } from '../../parts/notice.tsx';
import type { ActProps } from './edit.tsx';
import { useWords } from './words.ts';

export function Revoke({ client, own, onClose }: ActProps) {
  const words = useWords();
  const say = useNotice();
  const { mutate, error, isPending } = useRevokeClient(client.PublicKey);
  return (
    <Confirm
      title={words.revokeTitle(client.Name)}
      text={own ? `${words.revokeText} ${words.revokeOwn}` : words.revokeText}
      action={words.revoke}
      name={client.Name}
      busy={isPending}
      error={error}
      onConfirm={() =>
        mutate(undefined, {
          onSuccess: () => {
            say(words.revokedNotice(client.Name));
            onClose();
          },
        })
      }
      onClose={onClose}
    />
  );
}
