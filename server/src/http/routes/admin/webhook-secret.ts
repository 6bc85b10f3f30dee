import type { FastifyInstance } from 'fastify';
import { readGraceEnd } from '../../../core/access/read-client.ts';
import { Refusal } from '../../../core/faults.ts';
import { type TestTools, testWebhook } from '../../../core/webhooks/test.ts';
import { newWebhookSecret } from '../../../core/webhooks/webhook.ts';
import { authorOf } from '../../access.ts';
import { debugOf } from '../../call.ts';
import { recordEnvelope } from '../../envelope.ts';
import { RotationBody } from '../../schemas/clients.ts';
import { CallHeaders, CallQuery } from '../../schemas/requests.ts';
import { newWebhookSecretAnswers, testedAnswers, WebhookId } from '../../schemas/webhooks.ts';
import { idOf, type WebhookTools } from './webhooks.ts';

/** `webhooks/{id}/test` and `…/rotate`: what is done with the secret of an endpoint. */
export function webhookSecretRoutes(app: FastifyInstance, tools: WebhookTools & TestTools): void {
  const { webhooks, sealSecret } = tools;
  const config = { scope: 'admin', emptyBody: true, maxValues: 100 } as const;
  const common = { querystring: CallQuery, headers: CallHeaders, tags: ['webhooks'], params: WebhookId };

  app.post(
    '/webhooks/:id/test',
    {
      config,
      schema: {
        ...common,
        operationId: 'testWebhook',
        summary: 'Send an endpoint one message to try it',
        description:
          'A signed `webhook.test`, at once and once, to an endpoint that is disabled too. The answer is what came of it, which stands among the deliveries as well.',
        response: testedAnswers,
      },
    },
    async (request) => {
      const tested = await testWebhook(idOf(request), tools);
      const record = {
        ID: tested.id,
        Delivered: tested.delivered,
        Status: tested.status,
        Failure: tested.failure,
        Answer: tested.answer,
        Milliseconds: tested.milliseconds,
      };
      return recordEnvelope(record, debugOf(request));
    },
  );

  app.post(
    '/webhooks/:id/rotate',
    {
      config,
      schema: {
        ...common,
        operationId: 'rotateWebhook',
        summary: 'Give an endpoint a new secret',
        description:
          'The `Secret` is in this answer and in no other. Messages are signed with both for `Hours`, 24 where it is not said; an older secret ends at once.',
        body: RotationBody,
        response: newWebhookSecretAnswers,
      },
    },
    async (request) => {
      const id = idOf(request);
      const secret = newWebhookSecret();
      const oldEndsAt = readGraceEnd(request.body);
      if (!(await webhooks.addSecret(id, sealSecret(secret, id), oldEndsAt, authorOf(request))))
        throw new Refusal('WEBHOOK_NOT_FOUND');
      return recordEnvelope({ ID: id, Secret: secret, OldEndsAt: oldEndsAt }, debugOf(request));
    },
  );
}
