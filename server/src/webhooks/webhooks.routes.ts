import { actorOf } from '../clients/authentication.plugin.ts';
import { RotationBody } from '../clients/clients.routes.ts';
import { graceEnd } from '../clients/clients.ts';
import { pageEnvelope, recordEnvelope } from '../http/envelope.ts';
import { debugOf, languageOf } from '../http/request-context.ts';
import { CallHeaders, CallQuery } from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import type { Language } from '../lib/translate.ts';
import {
  type DeliveryFailure,
  type DisabledReason,
  describeFailure,
  describeReason,
  detailsOf,
} from '../lib/webhook-failures.ts';
import { type TestTools, testWebhook } from './attempt.ts';
import type { SecretEncryption } from './delivery.ts';
import { checkEndpoint } from './sender.ts';
import { checkSubscription, existing, newWebhookSecret, type Webhook } from './webhook.ts';
import {
  ChangeWebhookBody,
  changeOf,
  NewWebhookBody,
  newWebhookAnswers,
  newWebhookSecretAnswers,
  removedAnswers,
  testedAnswers,
  WebhookPath,
  webhookAnswers,
  webhooksAnswers,
} from './webhooks.schemas.ts';

export interface WebhookTools extends TestTools {
  encryptionOf(secret: string): SecretEncryption;
  /** Internal networks that webhooks may send to, also over plain http. */
  readonly networks: readonly string[];
}

export function webhookRoutes(app: Api, tools: WebhookTools): void {
  const { store: webhooks, encryptionOf, networks } = tools;
  const common = { querystring: CallQuery, headers: CallHeaders, tags: ['webhooks'] };

  app.get(
    '/webhooks',
    {
      config: { permission: 'service.read' },
      schema: {
        ...common,
        operationId: 'webhooks',
        summary: 'List webhooks',
        description: 'Returns all webhooks with their state, oldest first. Secrets are not returned.',
        response: webhooksAnswers,
      },
    },
    async (request) => {
      const records = (await webhooks.list()).map((webhook) => webhookFields(webhook, languageOf(request)));
      const totalCount = records.length;
      return pageEnvelope({ totalCount, pageSize: Math.max(totalCount, 1) }, records, debugOf(request));
    },
  );

  app.post(
    '/webhooks',
    {
      config: { permission: 'webhooks.write', maxValues: 100 },
      schema: {
        ...common,
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        description:
          'Sends events to your endpoint from now on. Messages are CloudEvents, signed with `Secret` as specified by Standard Webhooks. Only this answer contains `Secret`. A URL that can never be reached is refused: an internal address, or plain http, outside of the networks of ANAGRAFE_WEBHOOK_NETWORKS.',
        body: NewWebhookBody,
        response: newWebhookAnswers,
      },
    },
    async (request) => {
      const defaults = { types: [], granularity: 'record' } as const;
      const options = { ...defaults, url: request.body.URL, ...changeOf(request.body) };
      checkSubscription(options);
      checkEndpoint(options.url, networks);
      const secret = newWebhookSecret();
      const { clientId } = request.caller;
      const made = await webhooks.create(options, encryptionOf(secret), clientId, actorOf(request));
      const record = { ...webhookFields(made, languageOf(request)), Secret: secret };
      return recordEnvelope(record, debugOf(request));
    },
  );

  app.patch(
    '/webhooks/:id',
    {
      config: { permission: 'webhooks.write', maxValues: 100 },
      schema: {
        ...common,
        operationId: 'changeWebhook',
        summary: 'Change, disable or enable a webhook',
        description:
          'Fields that are not sent stay unchanged. A webhook that is enabled again receives the events that it missed. It cannot be enabled (403) while its client is revoked or does not have the scope `admin`.',
        params: WebhookPath,
        body: ChangeWebhookBody,
        response: webhookAnswers,
      },
    },
    async (request) => {
      const change = changeOf(request.body);
      if (change.url !== undefined) checkEndpoint(change.url, networks);
      const changed = existing(await webhooks.change(request.params.id, change, actorOf(request)));
      return recordEnvelope(webhookFields(changed, languageOf(request)), debugOf(request));
    },
  );

  app.delete(
    '/webhooks/:id',
    {
      config: { permission: 'webhooks.write', emptyBody: true, maxValues: 10 },
      schema: {
        ...common,
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'Deletes the webhook. No event is sent to it any more.',
        params: WebhookPath,
        response: removedAnswers,
      },
    },
    async (request) => {
      existing(await webhooks.remove(request.params.id, actorOf(request)));
      return recordEnvelope(null, debugOf(request));
    },
  );

  app.post(
    '/webhooks/:id/test',
    {
      config: { permission: 'webhooks.write', emptyBody: true, maxValues: 100 },
      schema: {
        ...common,
        operationId: 'testWebhook',
        summary: 'Send a test event',
        description:
          'Sends an event of the type `webhook.test` immediately and once, also if the webhook is disabled, and returns the result. The event is listed among the deliveries.',
        params: WebhookPath,
        response: testedAnswers,
      },
    },
    async (request) => {
      const tested = await testWebhook(request.params.id, tools);
      const record = {
        ID: tested.id,
        Delivered: tested.delivered,
        Status: tested.status,
        ...failureFields(tested.failure, languageOf(request)),
        Answer: tested.answer,
        Milliseconds: tested.milliseconds,
      };
      return recordEnvelope(record, debugOf(request));
    },
  );

  app.post(
    '/webhooks/:id/rotate',
    {
      config: { permission: 'webhooks.write', emptyBody: true, maxValues: 100 },
      schema: {
        ...common,
        operationId: 'rotateWebhook',
        summary: 'Rotate the secret of a webhook',
        description:
          'Returns a new secret, which only this answer contains. Messages are signed with the old and the new secret for `Hours` (default 24). Any older secret ends immediately.',
        params: WebhookPath,
        body: RotationBody,
        response: newWebhookSecretAnswers,
      },
    },
    async (request) => {
      const { id } = request.params;
      const secret = newWebhookSecret();
      const oldEndsAt = graceEnd(request.body.Hours);
      existing(await webhooks.rotateSecret(id, encryptionOf(secret), oldEndsAt, actorOf(request)));
      return recordEnvelope({ ID: id, Secret: secret, OldEndsAt: oldEndsAt }, debugOf(request));
    },
  );
}

export function webhookFields(webhook: Webhook, language: Language) {
  const { disabledReason: reason } = webhook;
  return {
    ID: webhook.id,
    ClientID: webhook.clientId,
    URL: webhook.url,
    Types: webhook.types,
    Granularity: webhook.granularity,
    CreatedAt: webhook.createdAt,
    DisabledAt: webhook.disabledAt,
    DisabledWhy: reason && describeReason(reason, language),
    DisabledReason: reason?.code ?? null,
    DisabledDetails: reason && detailFields(reason),
  };
}

export function failureFields(failure: DeliveryFailure | null, language: Language) {
  return {
    Failure: failure && describeFailure(failure, language),
    FailureCode: failure?.code ?? null,
    FailureDetails: failure && detailFields(failure),
  };
}

function detailFields(reason: DisabledReason) {
  const { status, networkError, timeoutMs } = detailsOf(reason);
  return { Status: status, NetworkError: networkError, TimeoutMs: timeoutMs };
}
