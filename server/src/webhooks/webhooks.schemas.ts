import { type Static, Type } from 'typebox';
import { EventTypeName } from '../audit/events.routes.ts';
import { testType } from '../audit/events.ts';
import { answers, Empty, errorAnswer, Moment, page, recordPage } from '../http/answer-schemas.ts';
import {
  flag,
  Id,
  named,
  nullable,
  oneOf,
  optional,
  PageQuery,
  pathOf,
  refined,
  strictObject,
  Uuid,
} from '../http/schemas.ts';
import type { Validated } from '../http/validation.ts';
import { disabledReasonCodes, failureCodes } from '../lib/webhook-failures.ts';
import { granularities, readUrl, urlMax, type WebhookChange } from './webhook.ts';

const EventTypes = Type.Array(EventTypeName, {
  description: 'The types of events to send. Empty for all events.',
});
const Granularity = named(
  'Granularity',
  oneOf(granularities, {
    description:
      'What one delivery contains. `user`: one user. `record`: up to 1,000 users of a record. `job`: a whole call or job.',
  }),
);
const Url = refined(
  Type.String({
    maxLength: urlMax,
    description: 'The endpoint URL. It must use https, except in the networks of ANAGRAFE_WEBHOOK_NETWORKS.',
  }),
  (text) => readUrl(text) !== null,
  'url',
);

const choices = {
  Types: optional(Type.Union([EventTypes, EventTypeName])),
  Granularity: optional(Granularity),
};
export const NewWebhookBody = named(
  'CreateWebhook',
  strictObject(
    { URL: Url, ...choices },
    {
      examples: [{ URL: 'https://erp.example.com/hooks', Types: ['user.registered'], Granularity: 'record' }],
    },
  ),
);
export const ChangeWebhookBody = named(
  'WebhookChange',
  strictObject(
    { Enabled: optional(Type.Boolean()), URL: optional(Url), ...choices },
    { examples: [{ Enabled: true }] },
  ),
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
  failed: flag('Returns only failed deliveries.'),
});

const DeliveryFailureCode = named(
  'DeliveryFailureCode',
  oneOf(failureCodes, { description: 'The reason why a delivery failed.' }),
);
const DisabledReason = named(
  'DisabledReason',
  oneOf(disabledReasonCodes, { description: 'The reason why a webhook was disabled.' }),
);
const DeliveryFailureDetails = named(
  'DeliveryFailureDetails',
  strictObject({
    Status: nullable(Type.Integer({ description: 'The HTTP status of the answer, with `http_status`.' })),
    NetworkError: nullable(
      Type.String({ description: 'The error code of Node.js, such as `ECONNREFUSED`.' }),
    ),
    TimeoutMs: nullable(Type.Integer({ description: 'The timeout in milliseconds, with `timeout`.' })),
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
  DisabledWhy: nullable(Type.String({ description: 'The reason as text, in the language of the request.' })),
  DisabledReason: nullable(DisabledReason),
  DisabledDetails: nullable(DeliveryFailureDetails),
};
const Webhook = named('Webhook', strictObject(webhook, { description: 'An endpoint that receives events.' }));
const NewWebhook = named(
  'NewWebhook',
  strictObject({
    ...webhook,
    Secret: Type.String({ description: 'The secret, `whsec_…`. Only this answer contains it.' }),
  }),
);
const Answer = nullable(
  Type.String({
    maxLength: 1000,
    description:
      'The beginning of the body of the last answer. It is untrusted text; do not render it as HTML.',
  }),
);
const failure = {
  Failure: nullable(
    Type.String({
      description:
        'The reason as text, in the language of the request. Null if `Status` explains the failure.',
    }),
  ),
  FailureCode: nullable(DeliveryFailureCode),
  FailureDetails: nullable(DeliveryFailureDetails),
};
const delivery = {
  ID: Type.String({ format: 'uuid', description: 'The header `webhook-id`, the same for every attempt.' }),
  Type: Type.Union([EventTypeName, Type.Literal(testType)]),
  State: oneOf(['pending', 'delivered', 'failed']),
  Attempts: Type.Integer({ minimum: 0 }),
  CreatedAt: Moment,
  NextAt: nullable(Moment),
  AttemptedAt: nullable(Moment),
  Status: nullable(Type.Integer({ description: 'The HTTP status of the last answer.' })),
  ...failure,
};
const Delivery = named(
  'Delivery',
  strictObject(delivery, { description: 'A message to a webhook, with its attempts.' }),
);
const WholeDelivery = named(
  'DeliveryDetails',
  strictObject({
    ...delivery,
    Message: nullable(
      Type.String({
        description: 'The body that is sent, a CloudEvent in JSON. Null if the event has been deleted.',
      }),
    ),
    Answer,
    Milliseconds: nullable(
      Type.Integer({
        minimum: 0,
        description: 'Milliseconds until the status of the last answer arrived.',
      }),
    ),
  }),
);
const Replayed = named(
  'Replayed',
  strictObject({
    Replayed: Type.Integer({ minimum: 0, description: 'Number of deliveries that are sent again.' }),
  }),
);

const Tested = named(
  'WebhookTest',
  strictObject({
    ID: Type.String({ format: 'uuid', description: 'The header `webhook-id`.' }),
    Delivered: Type.Boolean({ description: 'True if the receiver responded with 2xx.' }),
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
    Secret: Type.String({
      format: 'password',
      description: 'The secret, `whsec_…`. Only this answer contains it.',
    }),
    OldEndsAt: Type.String({ format: 'date-time', description: 'The end of the old secret.' }),
  }),
);

const missing = { 404: errorAnswer('There is no such webhook or delivery.', notFound) };
export const webhooksAnswers = answers('All webhooks.', page('WebhooksEnvelope', Webhook));
export const newWebhookAnswers = answers(
  'The webhook with its secret.',
  recordPage('NewWebhookEnvelope', NewWebhook),
);
export const webhookAnswers = answers('The webhook.', recordPage('WebhookEnvelope', Webhook), missing);
export const removedAnswers = answers('The webhook was deleted.', Empty, missing);
export const deliveriesAnswers = answers(
  'A page of deliveries.',
  page('DeliveriesEnvelope', Delivery, Webhook),
  missing,
);
export const deliveryAnswers = answers(
  'The delivery.',
  recordPage('DeliveryEnvelope', WholeDelivery),
  missing,
);
export const replayAnswers = answers(
  'The number of deliveries that are sent again.',
  recordPage('ReplayedEnvelope', Replayed),
  missing,
);
export const testedAnswers = answers(
  'The result of the test.',
  recordPage('TestedWebhookEnvelope', Tested),
  missing,
);
export const newWebhookSecretAnswers = answers(
  'The new secret.',
  recordPage('NewWebhookSecretEnvelope', NewWebhookSecret),
  missing,
);
