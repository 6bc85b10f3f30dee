import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actorOf } from '../clients/authentication.plugin.ts';
import { pageEnvelope, recordEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import { isFlagged, pageOf } from '../http/request-options.ts';
import { CallHeaders, CallQuery } from '../http/schemas/requests.ts';
import { ApiError } from '../lib/field-errors.ts';
import { isUuid } from '../lib/request-fields.ts';
import { type Delivery, showDelivery, type WebhookStore } from './delivery.ts';
import { idOf, webhookFields } from './webhooks.routes.ts';
import {
  DeliveryId,
  DeliveryQuery,
  deliveriesAnswers,
  deliveryAnswers,
  replayAnswers,
  WebhookId,
} from './webhooks.schemas.ts';

const tags = ['webhooks'];
const scope = 'admin' as const;

/** Registers the routes that list and show the deliveries of a webhook, and that replay them. */
export function deliveryRoutes(app: FastifyInstance, webhooks: WebhookStore): void {
  const common = { querystring: CallQuery, headers: CallHeaders, tags };

  app.get<{ Params: { id: string } }>(
    '/webhooks/:id/deliveries',
    {
      config: { scope, query: ['page', 'pageSize', 'failed'] },
      schema: {
        ...common,
        operationId: 'deliveries',
        summary: 'What was told to an endpoint, the newest first',
        description: 'The newest 10,000; `failed=true` gives the newest 10,000 that were given up.',
        params: WebhookId,
        querystring: DeliveryQuery,
        response: deliveriesAnswers,
      },
    },
    async (request) => {
      const webhook = await webhooks.find(idOf(request));
      if (!webhook) throw new ApiError('WEBHOOK_NOT_FOUND');
      const page = pageOf(request);
      const failedOnly = isFlagged(request, 'failed');
      const { deliveries, totalCount } = await webhooks.deliveries(webhook.id, { ...page, failedOnly });
      const records = deliveries.map(deliveryFields);
      return pageEnvelope(
        { ...page, totalCount, count: records.length },
        records,
        debugOf(request),
        webhookFields(webhook),
      );
    },
  );

  app.get<{ Params: { id: string; delivery: string } }>(
    '/webhooks/:id/deliveries/:delivery',
    {
      config: { scope },
      schema: {
        ...common,
        operationId: 'delivery',
        summary: 'One message, with what was sent and what came back',
        params: DeliveryId,
        response: deliveryAnswers,
      },
    },
    async (request) => {
      const whole = await showDelivery(idOf(request), deliveryOf(request.params), webhooks);
      const { message, answer, milliseconds } = whole;
      const record = {
        ...deliveryFields(whole),
        Message: message,
        Answer: answer,
        Milliseconds: milliseconds,
      };
      return recordEnvelope(record, debugOf(request));
    },
  );

  const replay = async (request: FastifyRequest, deliveryId: string | null) => {
    if (!(await webhooks.find(idOf(request)))) throw new ApiError('WEBHOOK_NOT_FOUND');
    const count = await webhooks.replay(idOf(request), deliveryId, actorOf(request));
    if (count === 0 && deliveryId !== null) throw new ApiError('WEBHOOK_NOT_FOUND');
    return recordEnvelope({ Replayed: count }, debugOf(request));
  };
  app.post<{ Params: { id: string } }>(
    '/webhooks/:id/replay',
    {
      config: { scope, emptyBody: true, maxValues: 10 },
      schema: {
        ...common,
        operationId: 'replayFailed',
        summary: 'Send again all that failed',
        params: WebhookId,
        response: replayAnswers,
      },
    },
    (request) => replay(request, null),
  );
  app.post<{ Params: { id: string; delivery: string } }>(
    '/webhooks/:id/deliveries/:delivery/replay',
    {
      config: { scope, emptyBody: true, maxValues: 10 },
      schema: {
        ...common,
        operationId: 'replay',
        summary: 'Send one message again',
        params: DeliveryId,
        response: replayAnswers,
      },
    },
    (request) => replay(request, deliveryOf(request.params)),
  );
}

/** Returns the delivery ID of the path. Throws an ApiError if it is not a UUID, which PostgreSQL would reject. */
function deliveryOf({ delivery }: { delivery: string }): string {
  if (!isUuid(delivery)) throw new ApiError('WEBHOOK_NOT_FOUND');
  return delivery;
}

function deliveryFields(delivery: Delivery) {
  return {
    ID: delivery.id,
    Type: delivery.type,
    State: delivery.state,
    Attempts: delivery.attempts,
    CreatedAt: delivery.createdAt,
    NextAt: delivery.state === 'pending' ? delivery.nextAt : null,
    AttemptedAt: delivery.attemptedAt,
    Status: delivery.status,
    Failure: delivery.failure,
  };
}
