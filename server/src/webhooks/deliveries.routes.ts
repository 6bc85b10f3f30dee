import type { FastifyRequest } from 'fastify';
import { actorOf } from '../clients/authentication.plugin.ts';
import { pageEnvelope, recordEnvelope } from '../http/envelope.ts';
import { debugOf, languageOf } from '../http/request-context.ts';
import { CallHeaders, CallQuery } from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import { ApiError } from '../lib/field-errors.ts';
import type { Language } from '../lib/translate.ts';
import { type Delivery, showDelivery, type WebhookStore } from './delivery.ts';
import { existing } from './webhook.ts';
import { failureFields, webhookFields } from './webhooks.routes.ts';
import {
  DeliveryPath,
  DeliveryQuery,
  deliveriesAnswers,
  deliveryAnswers,
  replayAnswers,
  WebhookPath,
} from './webhooks.schemas.ts';

export function deliveryRoutes(app: Api, webhooks: WebhookStore): void {
  const common = { querystring: CallQuery, headers: CallHeaders, tags: ['webhooks'] };

  app.get(
    '/webhooks/:id/deliveries',
    {
      config: { permission: 'service.read' },
      schema: {
        ...common,
        operationId: 'deliveries',
        summary: 'List the deliveries of a webhook',
        description:
          'Returns the newest 10,000 deliveries, the newest first. With `failed=true` it returns the newest 10,000 failed ones.',
        params: WebhookPath,
        querystring: DeliveryQuery,
        response: deliveriesAnswers,
      },
    },
    async (request) => {
      const webhook = existing(await webhooks.find(request.params.id));
      const { page, pageSize, failed: failedOnly = false } = request.query;
      const listing = { page, pageSize, failedOnly };
      const { deliveries, totalCount } = await webhooks.deliveries(webhook.id, listing);
      const language = languageOf(request);
      const records = deliveries.map((delivery) => deliveryFields(delivery, language));
      const record = webhookFields(webhook, language);
      return pageEnvelope({ page, pageSize, totalCount }, records, debugOf(request), record);
    },
  );

  app.get(
    '/webhooks/:id/deliveries/:delivery',
    {
      config: { permission: 'service.read' },
      schema: {
        ...common,
        operationId: 'delivery',
        summary: 'Get a delivery',
        description: 'Returns a delivery with the message that was sent and the answer of the receiver.',
        params: DeliveryPath,
        response: deliveryAnswers,
      },
    },
    async (request) => {
      const whole = await showDelivery(request.params.id, request.params.delivery, webhooks);
      const { message, answer, milliseconds } = whole;
      const record = {
        ...deliveryFields(whole, languageOf(request)),
        Message: message,
        Answer: answer,
        Milliseconds: milliseconds,
      };
      return recordEnvelope(record, debugOf(request));
    },
  );

  const replay = async (request: FastifyRequest, id: number, deliveryId: string | null) => {
    existing(await webhooks.find(id));
    const count = await webhooks.replay(id, deliveryId, actorOf(request));
    if (count === 0 && deliveryId !== null) throw new ApiError('WEBHOOK_NOT_FOUND');
    return recordEnvelope({ Replayed: count }, debugOf(request));
  };
  app.post(
    '/webhooks/:id/replay',
    {
      config: { permission: 'webhooks.write', emptyBody: true, maxValues: 10 },
      schema: {
        ...common,
        operationId: 'replayFailed',
        summary: 'Retry all failed deliveries',
        description: 'Sends every delivery again that has failed for good.',
        params: WebhookPath,
        response: replayAnswers,
      },
    },
    (request) => replay(request, request.params.id, null),
  );
  app.post(
    '/webhooks/:id/deliveries/:delivery/replay',
    {
      config: { permission: 'webhooks.write', emptyBody: true, maxValues: 10 },
      schema: {
        ...common,
        operationId: 'replay',
        summary: 'Retry a delivery',
        description: 'Sends the delivery again, with the same `webhook-id`.',
        params: DeliveryPath,
        response: replayAnswers,
      },
    },
    (request) => replay(request, request.params.id, request.params.delivery),
  );
}

function deliveryFields(delivery: Delivery, language: Language) {
  return {
    ID: delivery.id,
    Type: delivery.type,
    State: delivery.state,
    Attempts: delivery.attempts,
    CreatedAt: delivery.createdAt,
    NextAt: delivery.state === 'pending' ? delivery.nextAt : null,
    AttemptedAt: delivery.attemptedAt,
    Status: delivery.status,
    ...failureFields(delivery.failure, language),
  };
}
