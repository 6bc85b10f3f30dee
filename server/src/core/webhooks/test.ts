import { randomUUID } from 'node:crypto';
import { Refusal } from '../faults.ts';
import { type Attempt, isDelivered, openEndpoint, type Signing } from './attempt.ts';
import { testBody } from './message.ts';
import type { WebhookStore } from './webhook.ts';

/** A message that an endpoint was tried with, and what came of it. */
export interface Tested extends Attempt {
  /** The `webhook-id`. */
  readonly id: string;
  readonly createdAt: Date;
  readonly delivered: boolean;
}

export interface TestTools extends Signing {
  readonly webhooks: WebhookStore;
}

/** Sends one message that tells of nothing, at once and once, to an endpoint that may be disabled. */
export async function testWebhook(webhookId: number, tools: TestTools): Promise<Tested> {
  const { webhooks } = tools;
  const endpoint = await webhooks.endpoint(webhookId);
  if (!endpoint) throw new Refusal('WEBHOOK_NOT_FOUND');
  const made = { id: randomUUID(), createdAt: new Date() };
  const sent = await openEndpoint(endpoint, tools)(made.id, testBody(webhookId, made));
  const tested = { ...made, delivered: isDelivered(sent), ...sent, answer: await sent.answer };
  await webhooks.noteTest(webhookId, tested);
  return tested;
}
