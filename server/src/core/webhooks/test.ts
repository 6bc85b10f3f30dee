import { randomUUID } from 'node:crypto';
import { type CloudEvent, source, testType } from '../events/event.ts';
import { Refusal } from '../faults.ts';
import { type Attempt, isDelivered, type Signing } from './deliver.ts';
import { signedHeaders } from './signature.ts';
import type { WebhookStore } from './webhook.ts';

/** What came of a test, and how long it took. */
export interface Tested extends Attempt {
  /** The `webhook-id`. */
  readonly id: string;
  readonly delivered: boolean;
  readonly milliseconds: number;
}

export interface TestTools extends Signing {
  readonly webhooks: WebhookStore;
}

/** Sends one message that tells of nothing, at once and once, to an endpoint that may be disabled. */
export async function testWebhook(
  webhookId: number,
  { webhooks, openSecret, send }: TestTools,
): Promise<Tested> {
  const endpoint = await webhooks.endpoint(webhookId);
  if (!endpoint) throw new Refusal('WEBHOOK_NOT_FOUND');
  const secrets = endpoint.sealedSecrets.map((sealed) => openSecret(sealed, webhookId));
  const id = randomUUID();
  const body = JSON.stringify(testEvent(id, webhookId));
  const begunAt = performance.now();
  const came = await send(endpoint.url, signedHeaders(secrets, { id, body }, new Date()), body);
  const milliseconds = Math.round(performance.now() - begunAt);
  const tested = { id, delivered: isDelivered(came), milliseconds, ...came };
  await webhooks.noteTest(webhookId, tested);
  return tested;
}

function testEvent(id: string, webhookId: number): CloudEvent {
  return {
    specversion: '1.0',
    id,
    source,
    type: testType,
    subject: `webhooks/${webhookId}`,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    data: { WebhookID: webhookId },
  };
}
