import { Alert, Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useRotateClient } from '../../api/clients.ts';
import { useFormats } from '../../language/formats.ts';
import { useWords as useCommonWords } from '../../language/words.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import type { ActProps } from './edit.tsx';
import { Handover } from './handover.tsx';
import { useWords } from './words.ts';

export function Rotate({ client, own, onClose }: ActProps) {
  const words = useWords();
  const { cancel } = useCommonWords();
  const { moment } = useFormats();
  const [hours, setHours] = useState<number | string>(24);
  const rotate = useRotateClient(client.PublicKey, own);
  const { data, error, isPending } = rotate;

  function submit(event: FormEvent) {
    event.preventDefault();
    rotate.mutate(Number(hours));
  }

  return (
    <Dialog
      title={words.rotateTitle(client.Name)}
      opened
      onClose={onClose}
      lasting={data !== undefined || isPending}
    >
      {data ? (
        <Handover publicKey={data.PublicKey} secretKey={data.SecretKey} onDone={onClose}>
          <Text size="sm">{words.oldEnds(moment(new Date(data.OldEndsAt)))}</Text>
        </Handover>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <Text>{words.rotateText}</Text>
            {own && (
              <Alert color="indigo" variant="light">
                {words.rotateOwn}
              </Alert>
            )}
            <NumberInput
              label={words.hours}
              description={words.hoursHint}
              value={hours}
              onChange={setHours}
              min={0}
              max={9999}
              allowDecimal={false}
              allowNegative={false}
              required
              withAsterisk={false}
              data-autofocus
            />
            {error && <Failure error={error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {cancel}
              </Button>
              <Button type="submit" loading={isPending} disabled={hours === ''}>
                {words.rotateSubmit}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
