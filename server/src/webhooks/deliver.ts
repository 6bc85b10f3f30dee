import { type Entry, type NamedSubjects, partsOf, principalsIn } from '../audit/events.ts';
import type { EventNames } from '../db/lookups.ts';
import type { Semaphore } from '../lib/semaphore.ts';
import type { DeliveryFailure } from '../lib/webhook-failures.ts';
import { openEndpoint, type Signing } from './attempt.ts';
import type { AttemptResult } from './delivery.ts';
import { bodyOf, type Subject, usersIn } from './message.ts';
import type { Endpoint } from './webhook.ts';

export interface DueDelivery extends Subject {
  readonly id: string;
  readonly attempts: number;
  /** The audit row. Deliveries of the same row share one object. */
  readonly entry: Entry;
}

export interface DeliveryAttempt extends AttemptResult {
  readonly id: string;
  readonly delivered: boolean;
  /** Seconds until the next attempt; null if there is none. */
  readonly waitSeconds: number | null;
}

/** Sort order of due deliveries: earliest due time first, or most attempts first. */
export type DueOrder = 'longest' | 'most attempts';

export interface DeliveryStore {
  /** Returns null if the webhook is disabled or deleted. */
  endpoint(webhookId: number): Promise<Endpoint | null>;
  due(webhookId: number, limit: number, order: DueOrder): Promise<readonly DueDelivery[]>;
  names(subjects: NamedSubjects): Promise<EventNames>;
  /**
   * Stores the results of attempts. Disables the webhook if a failed delivery has no attempts left, and then returns
   * the failure; else returns null.
   */
  settle(webhookId: number, attempted: readonly DeliveryAttempt[]): Promise<DeliveryFailure | null>;
}

export interface DeliveryTools extends Signing {
  readonly store: DeliveryStore;
  onDisabled(webhookId: number, reason: DeliveryFailure): void;
  /** Seconds between one attempt and the next. A delivery fails when the attempt after the last wait fails. */
  readonly waits: readonly number[];
  readonly batches: Semaphore;
}

/** Batches that a node has in memory, for all webhooks together. */
export const batchesAtOnce = 4;

const batchSize = 200;
const requestsAtOnce = 16;

/** Time slice of one webhook. After it the queue runs the deliveries of other webhooks. */
const timeSliceMs = 10_000;

/**
 * Delivers to one webhook until nothing is due, the time slice ends, a request gets no response, or the signal aborts.
 *
 * The first message of a time slice is sent alone, so that an unreachable receiver costs one connection and one
 * message. It is the one with the most attempts: the webhook is disabled when one delivery has no attempts left,
 * regardless of the number of pending deliveries. Batches follow; while other webhooks hold the whole semaphore,
 * messages are sent one by one.
 */
export async function deliverDue(
  webhookId: number,
  tools: DeliveryTools,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + timeSliceMs;
  const isOver = () => signal.aborted || performance.now() >= until;
  const deliver = (limit: number, order: DueOrder = 'longest') =>
    deliverBatch(webhookId, tools, { limit, order, isOver });
  let answered = await deliver(1, 'most attempts');
  while (answered && !isOver())
    answered = await (tools.batches.tryRun(() => deliver(batchSize)) ?? deliver(1));
}

/**
 * Sends due messages until `isOver` returns true. Returns true if the next batch may follow: a delivery was due, and
 * every request got a response.
 */
async function deliverBatch(
  webhookId: number,
  tools: DeliveryTools,
  batch: { limit: number; order: DueOrder; isOver(): boolean },
): Promise<boolean> {
  const endpoint = await tools.store.endpoint(webhookId);
  const due = endpoint ? await tools.store.due(webhookId, batch.limit, batch.order) : [];
  if (!endpoint || due.length === 0) return false;
  const parts = new Map(due.map(({ entry }) => [entry, partsOf(entry)]));
  const names = await tools.store.names({
    principalIds: due.flatMap(({ entry }) => principalsIn(entry, parts.get(entry) ?? [])),
    userIds: due.flatMap((delivery) => usersIn(parts.get(delivery.entry) ?? [], delivery)),
  });
  const send = openEndpoint(endpoint, tools);
  const left = [...due];
  const attempted: Promise<DeliveryAttempt>[] = [];
  let answered = true;
  const worker = async () => {
    for (let next = left.shift(); next && answered && !batch.isOver(); next = left.shift()) {
      const body = bodyOf(next.entry, parts.get(next.entry) ?? [], next, names);
      const { answer, ...result } = await send(next.id, body);
      if (result.status === null) answered = false;
      const { id, attempts } = next;
      const delivered = result.failure === null;
      const waitSeconds = delivered ? null : (tools.waits[attempts] ?? null);
      // The next message does not wait for the body of this response.
      attempted.push(answer.then((text) => ({ id, delivered, waitSeconds, ...result, answer: text })));
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, worker));
  const reason = await tools.store.settle(webhookId, await Promise.all(attempted));
  if (reason !== null) tools.onDisabled(webhookId, reason);
  return answered;
}
