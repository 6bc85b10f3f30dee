import { Text } from '@mantine/core';
import { useRotateWebhook } from '../../api/webhooks.ts';
import { useFormats } from '../../language/formats.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { HoursForm } from '../../parts/hours-form.tsx';
import { SecretHandover } from './handover.tsx';
import type { ActProps } from './webhooks.tsx';
import { useWords } from './words.ts';

export function Rotate({ webhook, onClose }: ActProps) {
  const words = useWords();
  const { moment } = useFormats();
  const { data, error, isPending, mutate } = useRotateWebhook(webhook.ID);
  return (
    <Dialog title={words.rotateTitle} opened onClose={onClose} lasting={data !== undefined || isPending}>
      {data ? (
        <SecretHandover secret={data.Secret} onDone={onClose}>
          <Text size="sm">{words.oldEnds(moment(new Date(data.OldEndsAt)))}</Text>
        </SecretHandover>
      ) : (
        <HoursForm
          text={words.rotateText}
          label={words.hours}
          hint={words.hoursHint}
          submit={words.rotateSubmit}
          busy={isPending}
          error={error}
          onSubmit={(hours) => mutate(hours)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}
