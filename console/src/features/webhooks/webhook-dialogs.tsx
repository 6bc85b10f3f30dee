import type { Granularity, Webhook } from '@anagrafe/client';
import { Button, Checkbox, Group, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useCommonMessages, useEventTypeMessages, useWebhooksMessages } from '../../i18n/language.tsx';
import { ConfirmDialog, Dialog, DialogForm, type DialogFormProps, useFinish } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { RotateDialog, type Secret, SecretDialog } from '../../ui/secret-dialog.tsx';
import { eventTypes } from '../events/queries.ts';
import { Answer, DeliveryResult } from './delivery-result.tsx';
import {
  useChangeWebhook,
  useCreateWebhook,
  useRemoveWebhook,
  useRotateWebhook,
  useTestWebhook,
} from './queries.ts';

/** The editable settings of a webhook. An empty list of types selects all types. */
type Choices = Pick<Webhook, 'URL' | 'Types' | 'Granularity'>;

interface WebhookFormProps extends Pick<DialogFormProps, 'submit' | 'request' | 'onCancel'> {
  readonly start: Choices;
  readonly onSubmit: (choices: Choices) => void;
}

const granularities: readonly Granularity[] = ['record', 'user', 'job'];

function WebhookForm({ start: { URL, Types, Granularity }, onSubmit, ...rest }: WebhookFormProps) {
  const { form: messages } = useWebhooksMessages();
  const names = useEventTypeMessages();
  const form = useForm({
    initialValues: { URL, Types, Granularity },
    transformValues: (values) => ({
      ...values,
      URL: values.URL.trim(),
      Types: eventTypes.filter((type) => values.Types.includes(type)),
    }),
  });
  return (
    <DialogForm onSubmit={form.onSubmit(onSubmit)} {...rest}>
      <TextInput
        label={messages.url}
        description={messages.urlHint}
        type="url"
        required
        placeholder="https://erp.example.com/hooks"
        data-autofocus
        {...form.getInputProps('URL')}
      />
      <Checkbox.Group
        label={messages.types}
        description={messages.typesHint}
        {...form.getInputProps('Types')}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs">
          {eventTypes.map((type) => (
            <Checkbox key={type} value={type} label={names[type]} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <Radio.Group label={messages.granularity} {...form.getInputProps('Granularity')}>
        <Stack gap="xs" mt="xs">
          {granularities.map((one) => (
            <Radio key={one} value={one} label={messages.granularityHint[one]} />
          ))}
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}

function useSecret(): (webhook: { readonly Secret: string }) => Secret {
  const { secret, secretOnce, stored } = useWebhooksMessages();
  return ({ Secret: value }) => ({ once: secretOnce, values: [{ label: secret, value }], done: stored });
}

export function Create({ onClose }: { onClose: () => void }) {
  const messages = useWebhooksMessages();
  const secretOf = useSecret();
  const request = useCreateWebhook();
  const { data, isPending, mutate } = request;
  return (
    <SecretDialog
      title={data ? messages.created : messages.form.createTitle}
      isPending={isPending}
      secret={data && secretOf(data)}
      onClose={onClose}
    >
      <WebhookForm
        start={{ URL: '', Types: [], Granularity: 'record' }}
        submit={messages.form.submitCreate}
        request={request}
        onSubmit={(choices) => mutate(choices)}
        onCancel={onClose}
      />
    </SecretDialog>
  );
}

export interface WebhookDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function Edit({ webhook, onClose }: WebhookDialogProps) {
  const messages = useWebhooksMessages();
  const finish = useFinish(onClose);
  const request = useChangeWebhook();
  return (
    <Dialog title={messages.form.editTitle} onClose={onClose} staysOpen={request.isPending}>
      <WebhookForm
        start={webhook}
        submit={messages.form.submitEdit}
        request={request}
        onSubmit={(choices) =>
          request.mutate({ id: webhook.ID, ...choices }, { onSuccess: () => finish(messages.saved) })
        }
        onCancel={onClose}
      />
    </Dialog>
  );
}

export function Rotate({ webhook, onClose }: WebhookDialogProps) {
  const messages = useWebhooksMessages();
  return (
    <RotateDialog
      title={messages.rotateTitle}
      messages={messages}
      request={useRotateWebhook(webhook.ID)}
      secretOf={useSecret()}
      onClose={onClose}
    />
  );
}

export function Remove({ webhook, onClose }: WebhookDialogProps) {
  const messages = useWebhooksMessages();
  const finish = useFinish(onClose);
  const request = useRemoveWebhook(webhook.ID);
  return (
    <ConfirmDialog
      title={messages.removeTitle}
      text={messages.removeText(webhook.URL)}
      action={messages.remove}
      request={request}
      onConfirm={() => request.mutate(undefined, { onSuccess: () => finish(messages.removed) })}
      onClose={onClose}
    />
  );
}

export function Test({ webhook, onClose }: WebhookDialogProps) {
  const messages = useWebhooksMessages();
  const { close } = useCommonMessages();
  const { data, error, isPending, mutate } = useTestWebhook(webhook.ID);
  return (
    <Dialog title={messages.testTitle} onClose={onClose}>
      <Stack>
        <Text style={{ overflowWrap: 'anywhere' }}>{messages.testText(webhook.URL)}</Text>
        {data && (
          <>
            <DeliveryResult result={data} delivered={data.Delivered} />
            {data.Status !== null && <Answer text={data.Answer} />}
          </>
        )}
        {error && <Failure error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {close}
          </Button>
          <Button loading={isPending} onClick={() => mutate(undefined)} data-autofocus>
            {messages.testSubmit}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
