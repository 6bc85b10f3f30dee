import { Type } from 'typebox';
import { EventTypeName } from '../audit/events.routes.ts';
import { testType } from '../audit/events.ts';
import { ApiError, answer, Empty, errorAnswers, Moment, page } from '../http/schemas/answers.ts';
import { errorExample } from '../http/schemas/examples.ts';
import { example, Id, named, nullable, strictObject } from '../http/schemas/named.ts';
import { PageQuery } from '../http/schemas/requests.ts';
import { granularities } from './webhook.ts';

const EventTypes = Type.Array(EventTypeName, { description: 'all where empty' });
const Granularity = named(
  'Granularity',
  Type.String({ enum: [...granularities], description: 'What one message tells of' }),
);
const Url = Type.String({ format: 'uri', description: 'https; http for the networks that a setting names' });

const choices = {
  Types: Type.Optional(nullable(EventTypes)),
  Granularity: Type.Optional(nullable(Granularity)),
};
export const NewWebhookBody = example(named('WebhookWish', strictObject({ URL: Url, ...choices })), {
  URL: 'https://erp.example.com/hooks',
  Types: ['user.registered'],
  Granularity: 'record',
});
export const ChangeWebhookBody = example(
  named(
    'WebhookChange',
    strictObject({
      URL: Type.Optional(nullable(Url)),
      ...choices,
      Enabled: Type.Optional(nullable(Type.Boolean())),
    }),
  ),
  { Enabled: true },
);
export const WebhookId = Type.Object({ id: Id });
export const DeliveryId = Type.Object({ id: Id, delivery: Type.String({ format: 'uuid' }) });
export const DeliveryQuery = Type.Object({
  ...PageQuery.properties,
  failed: Type.Optional(Type.Boolean({ description: 'only those that were given up' })),
});

const webhook = {
  ID: Id,
  ClientID: nullable(Id),
  URL: Type.String(),
  Types: EventTypes,
  Granularity,
  CreatedAt: Moment,
  DisabledAt: nullable(Moment),
  DisabledWhy: nullable(Type.String()),
};
const Webhook = named('Webhook', strictObject(webhook));
const NewWebhook = named(
  'NewWebhook',
  strictObject({ ...webhook, Secret: Type.String({ description: 'whsec_…, shown only here' }) }),
);
const Answer = nullable(
  Type.String({
    maxLength: 1000,
    description: 'the beginning of what the receiver answered last: text of anybody, never HTML to show',
  }),
);
const delivery = {
  ID: Type.String({ format: 'uuid', description: 'the `webhook-id`, the same at every attempt' }),
  Type: Type.Union([EventTypeName, Type.Literal(testType)]),
  State: Type.String({ enum: ['pending', 'delivered', 'failed'] }),
  Attempts: Type.Integer({ minimum: 0 }),
  CreatedAt: Moment,
  NextAt: nullable(Moment),
  AttemptedAt: nullable(Moment),
  Status: nullable(Type.Integer({ description: 'what the receiver answered last' })),
  Failure: nullable(Type.String({ description: 'why there was no answer, or none that counts' })),
};
const Delivery = named('Delivery', strictObject(delivery));
const WholeDelivery = named(
  'WholeDelivery',
  strictObject({
    ...delivery,
    Message: nullable(
      Type.String({
        description:
          'the body as it is sent, a CloudEvent in JSON; null where what it tells of is no longer kept',
      }),
    ),
    Answer,
    Milliseconds: nullable(
      Type.Integer({ minimum: 0, description: 'how long the last attempt took until its status was there' }),
    ),
  }),
);
const Replayed = named(
  'Replayed',
  strictObject({ Replayed: Type.Integer({ minimum: 0, description: 'how many messages are sent again' }) }),
);

const Tested = named(
  'TestedWebhook',
  strictObject({
    ID: Type.String({ format: 'uuid', description: 'the `webhook-id`' }),
    Delivered: Type.Boolean({ description: 'whether the receiver took it, with any answer of 2xx' }),
    Status: nullable(Type.Integer()),
    Failure: nullable(Type.String()),
    Answer,
    Milliseconds: Type.Integer({ minimum: 0 }),
  }),
);
const NewWebhookSecret = named(
  'NewWebhookSecret',
  strictObject({
    ID: Id,
    Secret: Type.String({ format: 'password', description: 'whsec_…, shown only here' }),
    OldEndsAt: Moment,
  }),
);

const missing = {
  ...errorAnswers,
  404: answer('There is no such endpoint or message', ApiError, errorExample(404, 'WEBHOOK_NOT_FOUND')),
};
export const webhooksAnswers = {
  200: answer('The endpoints', page('WebhooksEnvelope', Webhook)),
  ...errorAnswers,
};
export const newWebhookAnswers = {
  200: answer('The endpoint, with its secret', page('NewWebhookEnvelope', Type.Never(), NewWebhook)),
  ...errorAnswers,
};
export const webhookAnswers = {
  200: answer('The endpoint', page('WebhookEnvelope', Type.Never(), Webhook)),
  ...missing,
};
export const removedAnswers = { 200: answer('The endpoint is gone', Empty), ...missing };
export const deliveriesAnswers = {
  200: answer('A page of messages', page('DeliveriesEnvelope', Delivery, Webhook)),
  ...missing,
};
export const deliveryAnswers = {
  200: answer('The message', page('DeliveryEnvelope', Type.Never(), WholeDelivery)),
  ...missing,
};
export const replayAnswers = {
  200: answer('They are on their way', page('ReplayedEnvelope', Type.Never(), Replayed)),
  ...missing,
};
export const testedAnswers = {
  200: answer('What came of it', page('TestedWebhookEnvelope', Type.Never(), Tested)),
  ...missing,
};
export const newWebhookSecretAnswers = {
  200: answer('The new secret', page('NewWebhookSecretEnvelope', Type.Never(), NewWebhookSecret)),
  ...missing,
};
