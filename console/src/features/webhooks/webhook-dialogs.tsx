import type { Webhook } from '@anagrafe/client';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useCommonMessages, useWebhooksMessages } from '../../i18n/messages.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { HoursForm } from '../../ui/hours-form.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { ShowSecretOnce } from '../../ui/show-secret-once.tsx';
import { Answer, DeliveryResult } from './delivery-result.tsx';
import {
  useChangeWebhook,
  useCreateWebhook,
  useRemoveWebhook,
  useRotateWebhook,
  useTestWebhook,
} from './queries.ts';
import { WebhookForm } from './webhook-form.tsx';

interface ShowWebhookSecretOnceProps {
  readonly secret: string;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** Shows the secret that signs the deliveries of a webhook. */
export function ShowWebhookSecretOnce({ secret, ...rest }: ShowWebhookSecretOnceProps) {
  const messages = useWebhooksMessages();
  const values = [{ label: messages.secret, value: secret }];
  return <ShowSecretOnce once={messages.secretOnce} values={values} done={messages.stored} {...rest} />;
}

export function Create({ onClose }: { onClose: () => void }) {
  const messages = useWebhooksMessages();
  const { data, error, isPending, mutate } = useCreateWebhook();
  return (
    <Dialog
      title={data ? messages.created : messages.form.createTitle}
      opened
      onClose={onClose}
      lasting={data !== undefined || isPending}
    >
      {data ? (
        <ShowWebhookSecretOnce secret={data.Secret} onDone={onClose} />
      ) : (
        <WebhookForm
          start={{ URL: '', Types: [], Granularity: 'record' }}
          submit={messages.form.submitCreate}
          busy={isPending}
          error={error}
          onSubmit={(choices) => mutate(choices)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}

export function Edit({ webhook, onClose }: ClientDialogProps) {
  const messages = useWebhooksMessages();
  const say = useNotice();
  const { mutate, error, isPending } = useChangeWebhook();
  return (
    <Dialog title={messages.form.editTitle} opened onClose={onClose} lasting={isPending}>
      <WebhookForm
        start={webhook}
        submit={messages.form.submitEdit}
        busy={isPending}
        error={error}
        onSubmit={(choices) =>
          mutate(
            { id: webhook.ID, ...choices },
            {
              onSuccess: () => {
                say(messages.saved);
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

/** The props of a dialog for an action on one webhook. */
export interface ClientDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function Rotate({ webhook, onClose }: ClientDialogProps) {
  const messages = useWebhooksMessages();
  const { moment } = useFormats();
  const { data, error, isPending, mutate } = useRotateWebhook(webhook.ID);
  return (
    <Dialog title={messages.rotateTitle} opened onClose={onClose} lasting={data !== undefined || isPending}>
      {data ? (
        <ShowWebhookSecretOnce secret={data.Secret} onDone={onClose}>
          <Text size="sm">{messages.oldEnds(moment(new Date(data.OldEndsAt)))}</Text>
        </ShowWebhookSecretOnce>
      ) : (
        <HoursForm
          text={messages.rotateText}
          label={messages.hours}
          hint={messages.hoursHint}
          submit={messages.rotateSubmit}
          busy={isPending}
          error={error}
          onSubmit={(hours) => mutate(hours)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}

export function Remove({ webhook, onClose }: ClientDialogProps) {
  const messages = useWebhooksMessages();
  const say = useNotice();
  const { mutate, error, isPending } = useRemoveWebhook(webhook.ID);
  return (
    <Confirm
      title={messages.removeTitle}
      text={messages.removeText(webhook.URL)}
      action={messages.remove}
      busy={isPending}
      error={error}
      onConfirm={() =>
        mutate(undefined, {
          onSuccess: () => {
            say(messages.removed);
            onClose();
          },
        })
      }
      onClose={onClose}
    />
  );
}

/** Sends a test delivery and shows its result. */
export function Try({ webhook, onClose }: ClientDialogProps) {
  const messages = useWebhooksMessages();
  const { close } = useCommonMessages();
  const { data, error, isPending, mutate } = useTestWebhook(webhook.ID);
  return (
    <Dialog title={messages.testTitle} opened onClose={onClose}>
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
