import { randomUUID } from 'node:crypto';
import type { Sent, TestResult, WebhookStore } from './delivery.ts';
import { signedHeaders, testBody } from './message.ts';
import { type Endpoint, existing } from './webhook.ts';

export interface Signing {
  decryptSecret(encrypted: Buffer, webhookId: number): string;
  send(url: string, headers: Record<string, string>, body: string): Promise<Sent>;
}

/** Decrypts the secrets of an endpoint once. The returned function sends one message, signed with all of them. */
export function openEndpoint(
  { id: webhookId, url, encryptedSecrets }: Endpoint,
  { decryptSecret, send }: Signing,
) {
  const secrets = encryptedSecrets.map((encrypted) => decryptSecret(encrypted, webhookId));
  return async (id: string, body: string): Promise<Sent & { readonly milliseconds: number }> => {
    const startedAt = performance.now();
    const sent = await send(url, signedHeaders(secrets, { id, body }, new Date()), body);
    return { ...sent, milliseconds: Math.round(performance.now() - startedAt) };
  };
}

export interface TestTools extends Signing {
  readonly store: WebhookStore;
}

/** Sends a test message without retries, also to a disabled webhook, and stores it among the deliveries. */
export async function testWebhook(webhookId: number, tools: TestTools): Promise<TestResult> {
  const { store } = tools;
  const endpoint = existing(await store.endpoint(webhookId));
  const message = { id: randomUUID(), createdAt: new Date() };
  const sent = await openEndpoint(endpoint, tools)(message.id, testBody(webhookId, message));
  const result = { ...message, delivered: sent.failure === null, ...sent, answer: await sent.answer };
  await store.storeTest(webhookId, result);
  return result;
}
