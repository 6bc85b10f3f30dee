import { Button, Group, Stack, Text } from '@mantine/core';
import { useTestWebhook } from '../../api/webhooks.ts';
import { useWords as useCommonWords } from '../../language/words.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Answer } from './answer.tsx';
import { CameBack } from './came-back.tsx';
import type { ActProps } from './webhooks.tsx';
import { useWords } from './words.ts';

/** One message, and what came back. */
export function Try({ webhook, onClose }: ActProps) {
  const words = useWords();
  const { close } = useCommonWords();
  const { data, error, isPending, mutate } = useTestWebhook(webhook.ID);
  return (
    <Dialog title={words.testTitle} opened onClose={onClose}>
      <Stack>
        <Text style={{ overflowWrap: 'anywhere' }}>{words.testText(webhook.URL)}</Text>
        {data && (
          <>
            <CameBack came={data} delivered={data.Delivered} />
            {data.Status !== null && <Answer text={data.Answer} />}
          </>
        )}
        {error && <Failure error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {close}
          </Button>
          <Button loading={isPending} onClick={() => mutate(undefined)} data-autofocus>
            {words.testSubmit}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
