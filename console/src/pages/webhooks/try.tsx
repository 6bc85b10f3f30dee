import type { TestedWebhook } from '@anagrafe/client';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useTestWebhook } from '../../api/webhooks.ts';
import { useFormats } from '../../language/formats.ts';
import { useWords as useCommonWords } from '../../language/words.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
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
        {data && <CameBack tested={data} />}
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

function CameBack({ tested: { Delivered, Status, Failure: why, Milliseconds } }: { tested: TestedWebhook }) {
  const words = useWords();
  const { number } = useFormats();
  return (
    <Alert
      color={Delivered ? 'teal' : 'red'}
      variant="light"
      role="status"
      icon={<Icon name={Delivered ? 'check' : 'warning'} />}
      title={Delivered ? words.testDelivered : words.testFailed}
    >
      {[Status === null ? why : words.answered(Status), words.took(number(Math.round(Milliseconds)))]
        .filter(Boolean)
        .join(' ')}
    </Alert>
  );
}
