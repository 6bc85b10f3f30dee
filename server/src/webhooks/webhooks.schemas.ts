import { type Static, Type } from 'typebox';
import { EventTypeName } from '../audit/events.routes.ts';
import { testType } from '../audit/events.ts';
import { answers, Empty, errorAnswer, Moment, page, recordPage } from '../http/answer-schemas.ts';
import {
  example,
  flag,
  Id,
  named,
  nullable,
  oneOf,
  optional,
  PageQuery,
  pathOf,
  strictObject,
  Uuid,
} from '../http/schemas.ts';
import type { Validated } from '../http/validation.ts';
import { disabledReasonCodes, failureCodes } from '../lib/webhook-failures.ts';
import { granularities, readUrl, urlMax, type WebhookChange } from './webhook.ts';

const EventTypes = Type.Array(EventTypeName, { description: 'all where empty' });
const Granularity = named('Granularity', oneOf(granularities, { description: 'What one message tells of' }));
const Url = Type.Refine(
  Type.String({ maxLength: urlMax, description: 'https; http for the networks that a setting names' }),
  (text) => readUrl(text) !== null,
  () => 'url',
);

const choices = {
  Types: optional(Type.Union([EventTypes, EventTypeName])),
  Granularity: optional(Granularity),
};
export const NewWebhookBody = example(named('CreateWebhook', strictObject({ URL: Url, ...choices })), {
  URL: 'https://erp.example.com/hooks',
  Types: ['user.registered'],
  Granularity: 'record',
});
export const ChangeWebhookBody = example(
  named('WebhookChange', strictObject({ Enabled: optional(Type.Boolean()), URL: optional(Url), ...choices })),
  { Enabled: true },
);

export function changeOf(body: Validated<Static<typeof ChangeWebhookBody>>): WebhookChange {
  const { URL: url, Types: types, Granularity: granularity, Enabled: enabled } = body;
  return {
    ...(url !== undefined && { url: readUrl(url) ?? url }),
    ...(types !== undefined && { types: typeof types === 'string' ? [types] : types }),
    ...(granularity !== undefined && { granularity }),
    ...(enabled !== undefined && { enabled }),
  };
}

const notFound = 'WEBHOOK_NOT_FOUND';
export const WebhookPath = pathOf(notFound, { id: Id });
export const DeliveryPath = pathOf(notFound, { id: Id, delivery: Uuid });
export const DeliveryQuery = Type.Object({
  ...PageQuery.properties,
  failed: flag('only those that were given up'),
});

const DeliveryFailureCode = named(
  'DeliveryFailureCode',
  oneOf(failureCodes, { description: 'Why a message was not delivered' }),
);
const DisabledReason = named(
  'DisabledReason',
  oneOf(disabledReasonCodes, { description: 'Why an endpoint was disabled' }),
);
const DeliveryFailureDetails = named(
  'DeliveryFailureDetails',
  strictObject({
    Status: nullable(Type.Integer({ description: 'the status of the response, with `http_status`' })),
    NetworkError: nullable(Type.String({ description: 'the error code of Node.js, such as `ECONNREFUSED`' })),
    TimeoutMs: nullable(Type.Integer({ description: 'the time limit in milliseconds, with `timeout`' })),
  }),
);

const webhook = {
  ID: Id,
  ClientID: nullable(Id),
  URL: Type.String(),
  Types: EventTypes,
  Granularity,
  CreatedAt: Moment,
  DisabledAt: nullable(Moment),
  DisabledWhy: nullable(Type.String({ description: 'the reason as text, in the language of the request' })),
  DisabledReason: nullable(DisabledReason),
  DisabledDetails: nullable(DeliveryFailureDetails),
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
const failure = {
  Failure: nullable(
    Type.String({
      description: 'why there was no answer, or none that counts, as text in the language of the request',
    }),
  ),
  FailureCode: nullable(DeliveryFailureCode),
  FailureDetails: nullable(DeliveryFailureDetails),
};
const delivery = {
  ID: Type.String({ format: 'uuid', description: 'the `webhook-id`, the same at every attempt' }),
  Type: Type.Union([EventTypeName, Type.Literal(testType)]),
  State: oneOf(['pending', 'delivered', 'failed']),
  Attempts: Type.Integer({ minimum: 0 }),
  CreatedAt: Moment,
  NextAt: nullable(Moment),
  AttemptedAt: nullable(Moment),
  Status: nullable(Type.Integer({ description: 'what the receiver answered last' })),
  ...failure,
};
const Delivery = named('Delivery', strictObject(delivery));
const WholeDelivery = named(
  'DeliveryDetails',
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
  'WebhookTest',
  strictObject({
    ID: Type.String({ format: 'uuid', description: 'the `webhook-id`' }),
    Delivered: Type.Boolean({ description: 'whether the receiver took it, with any answer of 2xx' }),
    Status: nullable(Type.Integer()),
    ...failure,
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

const missing = { 404: errorAnswer('There is no such endpoint or message', notFound) };
export const webhooksAnswers = answers('The endpoints', page('WebhooksEnvelope', Webhook));
export const newWebhookAnswers = answers(
  'The endpoint, with its secret',
  recordPage('NewWebhookEnvelope', NewWebhook),
);
export const webhookAnswers = answers('The endpoint', recordPage('WebhookEnvelope', Webhook), missing);
export const removedAnswers = answers('The endpoint is gone', Empty, missing);
export const deliveriesAnswers = answers(
  'A page of messages',
  page('DeliveriesEnvelope', Delivery, Webhook),
  missing,
);
export const deliveryAnswers = answers('The message', recordPage('DeliveryEnvelope', WholeDelivery), missing);
export const replayAnswers = answers(
  'They are on their way',
  recordPage('ReplayedEnvelope', Replayed),
  missing,
);
export const testedAnswers = answers('What came of it', recordPage('TestedWebhookEnvelope', Tested), missing);
export const newWebhookSecretAnswers = answers(
  'The new secret',
  recordPage('NewWebhookSecretEnvelope', NewWebhookSecret),
  missing,
);
