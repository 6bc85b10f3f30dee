import { randomUUID } from 'node:crypto';
import { ApiError } from '../lib/field-errors.ts';
import type { SendResult, Sent, Tested, WebhookStore } from './delivery.ts';
import { signedHeaders, testBody } from './message.ts';
import type { Endpoint } from './webhook.ts';

/** The functions that decrypt a webhook secret and send a signed message. */
export interface Signing {
  openSecret(sealed: Buffer, webhookId: number): string;
  send(url: string, headers: Record<string, string>, body: string): Promise<Sent>;
}

/** Decrypts the secrets of an endpoint once. The returned function sends one message, signed with all of them. */
export function openEndpoint({ id: webhookId, url, sealedSecrets }: Endpoint, { openSecret, send }: Signing) {
  const secrets = sealedSecrets.map((sealed) => openSecret(sealed, webhookId));
  return async (id: string, body: string): Promise<Sent & { readonly milliseconds: number }> => {
    const begunAt = performance.now();
    const sent = await send(url, signedHeaders(secrets, { id, body }, new Date()), body);
    return { ...sent, milliseconds: Math.round(performance.now() - begunAt) };
  };
}

export function isDelivered({ status }: SendResult): boolean {
  return status !== null && status >= 200 && status < 300;
}

export interface TestTools extends Signing {
  readonly webhooks: WebhookStore;
}

/** Sends a test message without retries, also to a disabled webhook, and stores it among the deliveries. */
export async function testWebhook(webhookId: number, tools: TestTools): Promise<Tested> {
  const { webhooks } = tools;
  const endpoint = await webhooks.endpoint(webhookId);
  if (!endpoint) throw new ApiError('WEBHOOK_NOT_FOUND');
  const made = { id: randomUUID(), createdAt: new Date() };
  const sent = await openEndpoint(endpoint, tools)(made.id, testBody(webhookId, made));
  const tested = { ...made, delivered: isDelivered(sent), ...sent, answer: await sent.answer };
  await webhooks.noteTest(webhookId, tested);
  return tested;
}
