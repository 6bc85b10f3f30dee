import { Alert, Text } from '@mantine/core';
import { useRotateClient } from '../../api/clients.ts';
import { useStayInSight } from '../../api/session-watch.ts';
import { useFormats } from '../../language/formats.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { HoursForm } from '../../parts/hours-form.tsx';
import { KeysHandover } from '../../parts/keys-handover.tsx';
import type { ActProps } from './edit.tsx';
import { useWords } from './words.ts';

export function Rotate({ client, own, onClose }: ActProps) {
  const words = useWords();
  const { moment } = useFormats();
  const rotate = useRotateClient(client.PublicKey, own);
  const { data, error, isPending } = rotate;
  useStayInSight(own && (isPending || data?.signedIn === false));

  return (
    <Dialog
      title={words.rotateTitle(client.Name)}
      opened
      onClose={onClose}
      lasting={data !== undefined || isPending}
    >
      {data ? (
        <KeysHandover publicKey={data.PublicKey} secretKey={data.SecretKey} onDone={onClose}>
          <Text size="sm">{words.oldEnds(moment(new Date(data.OldEndsAt)))}</Text>
        </KeysHandover>
      ) : (
        <HoursForm
          text={words.rotateText}
          label={words.hours}
          hint={words.hoursHint}
          submit={words.rotateSubmit}
          busy={isPending}
          error={error}
          onSubmit={(hours) => rotate.mutate(hours)}
          onCancel={onClose}
        >
          {own && (
            <Alert color="indigo" variant="light">
              {words.rotateOwn}
            </Alert>
          )}
        </HoursForm>
      )}
    </Dialog>
  );
}
