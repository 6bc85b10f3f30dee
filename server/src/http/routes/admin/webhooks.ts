import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../../core/faults.ts';
import { readChange, readWish } from '../../../core/webhooks/read.ts';
import { newWebhookSecret, type Webhook, type WebhookStore } from '../../../core/webhooks/webhook.ts';
import { authorOf } from '../../access.ts';
import { debugOf } from '../../call.ts';
import { pageEnvelope, recordEnvelope } from '../../envelope.ts';
import { CallHeaders, CallQuery } from '../../schemas/requests.ts';
import {
  ChangeWebhookBody,
  NewWebhookBody,
  newWebhookAnswers,
  removedAnswers,
  WebhookId,
  webhookAnswers,
  webhooksAnswers,
} from '../../schemas/webhooks.ts';

const tags = ['webhooks'];
const scope = 'admin' as const;

export interface WebhookTools {
  readonly webhooks: WebhookStore;
  sealSecret(secret: string, webhookId: number): Buffer;
}

/** `/admin/v1/webhooks`: endpoints that are told what happens. */
export function webhookRoutes(app: FastifyInstance, { webhooks, sealSecret }: WebhookTools): void {
  const common = { querystring: CallQuery, headers: CallHeaders, tags };

  app.get(
    '/webhooks',
    {
      config: { scope },
      schema: { ...common, operationId: 'webhooks', summary: 'List endpoints', response: webhooksAnswers },
    },
    async (request) => {
      const found = await webhooks.list();
      const count = found.length;
      return pageEnvelope(
        { totalCount: count, count, page: 1, pageSize: Math.max(count, 1) },
        found.map(webhookFields),
        debugOf(request),
      );
    },
  );

  app.post(
    '/webhooks',
    {
      config: { scope, maxValues: 100 },
      schema: {
        ...common,
        operationId: 'createWebhook',
        summary: 'Have an endpoint told what happens from now on',
        description:
          'Messages are CloudEvents, signed as Standard Webhooks says with the `Secret`, which is shown this once. `Granularity`: `user` tells of each user, `record` of all users of a record at once, `job` of whole calls and jobs alone.',
        body: NewWebhookBody,
        response: newWebhookAnswers,
      },
    },
    async (request) => {
      const secret = newWebhookSecret();
      const seal = (id: number) => sealSecret(secret, id);
      const made = await webhooks.create(
        readWish(request.body),
        seal,
        request.caller.clientId,
        authorOf(request),
      );
      return recordEnvelope({ ...webhookFields(made), Secret: secret }, debugOf(request));
    },
  );

  app.patch<{ Params: { id: string } }>(
    '/webhooks/:id',
    {
      config: { scope, maxValues: 100 },
      schema: {
        ...common,
        operationId: 'changeWebhook',
        summary: 'Change an endpoint, disable it, or enable it again',
        description:
          'A webhook that is enabled again receives everything that has happened meanwhile. It cannot be enabled (403) while the client that it belongs to is revoked or does not have the scope `admin`.',
        params: WebhookId,
        body: ChangeWebhookBody,
        response: webhookAnswers,
      },
    },
    async (request) => {
      const changed = await webhooks.change(idOf(request), readChange(request.body), authorOf(request));
      if (!changed) throw new Refusal('WEBHOOK_NOT_FOUND');
      return recordEnvelope(webhookFields(changed), debugOf(request));
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/webhooks/:id',
    {
      config: { scope, emptyBody: true },
      schema: {
        ...common,
        operationId: 'deleteWebhook',
        summary: 'Remove an endpoint',
        params: WebhookId,
        response: removedAnswers,
      },
    },
    async (request) => {
      if (!(await webhooks.remove(idOf(request), authorOf(request)))) throw new Refusal('WEBHOOK_NOT_FOUND');
      return recordEnvelope(null, debugOf(request));
    },
  );
}

/** What is no number is nobody's. */
export function idOf({ params }: FastifyRequest): number {
  const { id } = params as { id: string };
  if (!/^\d{1,15}$/.test(id)) throw new Refusal('WEBHOOK_NOT_FOUND');
  return Number(id);
}

export function webhookFields(webhook: Webhook) {
  return {
    ID: webhook.id,
    ClientID: webhook.clientId,
    URL: webhook.url,
    Types: webhook.types,
    Granularity: webhook.granularity,
    CreatedAt: webhook.createdAt,
    DisabledAt: webhook.disabledAt,
    DisabledWhy: webhook.disabledWhy,
  };
}
