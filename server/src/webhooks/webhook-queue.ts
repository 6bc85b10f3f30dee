import type { Queue } from '../queue/queue.ts';

interface WebhookMessage {
  readonly id: number;
}

const webhookQueueName = 'deliveries';
/**
 * Maximum number of webhooks that this node delivers to in parallel. A receiver that does not answer occupies one of
 * them for up to 15 seconds, so the number is higher than the number of receivers that are likely to hang at once.
 */
const webhooksAtOnce = 200;

/** Enqueues webhooks. A webhook that is already queued or running is not enqueued again. */
export function enqueueWebhooks(queue: Queue, ids: readonly number[]): Promise<void> {
  return queue.send(
    webhookQueueName,
    ids.map((id) => ({ data: { id }, singletonKey: String(id) })),
  );
}

/**
 * Calls `run` for the webhooks in the queue, for each on one node at a time. The queue needs no retries: due deliveries
 * enqueue their webhook again.
 */
export async function workOnWebhooks(
  queue: Queue,
  run: (id: number, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await queue.create(webhookQueueName, {
    policy: 'exclusive',
    expireInSeconds: 3600,
    deleteAfterSeconds: 60,
    retryLimit: 0,
  });
  queue.workInPool<WebhookMessage>(webhookQueueName, webhooksAtOnce, ({ id }, signal) => run(id, signal));
}
