import { type Entry, partsOf, type UserNames } from '../events/event.ts';
import type { Slots } from '../records/slots.ts';
import { type Attempt, type Endpoint, isDelivered, openEndpoint, type Signing } from './attempt.ts';
import { bodyOf, type Subject, usersIn } from './message.ts';

/** A delivery that is due. */
export interface DueDelivery extends Subject {
  readonly id: string;
  /** How often it was attempted before. */
  readonly attempts: number;
  /** The same object for all deliveries of an entry. */
  readonly entry: Entry;
}

export interface Attempted extends Attempt {
  readonly id: string;
  readonly delivered: boolean;
  /** How long to wait before the next attempt; null where there is none. */
  readonly waitSeconds: number | null;
}

/** The longest due first, or the one with the most attempts first. */
export type DueOrder = 'longest' | 'most attempts';

export interface DeliveryStore {
  /** Null where it was disabled or removed. */
  endpoint(webhookId: number): Promise<Endpoint | null>;
  /** The deliveries that are due now, in this order. */
  due(webhookId: number, limit: number, order: DueOrder): Promise<readonly DueDelivery[]>;
  names(userIds: readonly number[]): Promise<ReadonlyMap<number, UserNames>>;
  /** Writes down what came of attempts; an endpoint of which one was given up is disabled: then why, else null. */
  settle(webhookId: number, attempted: readonly Attempted[]): Promise<string | null>;
}

export interface DeliveryTools extends Signing {
  readonly store: DeliveryStore;
  /** Told of an endpoint that was disabled, and why. */
  onDisabled(webhookId: number, why: string): void;
  /** Seconds between one attempt and the next; after the last one a delivery is given up. */
  readonly waits: readonly number[];
  /** Bounds the batches that this node has in memory. */
  readonly batches: Slots;
}

/** Batches that a node has in memory, for all endpoints together. */
export const batchesAtOnce = 4;

/** From seconds to a day, over three days in all. */
export const threeDays = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 43_200, 43_200, 72_600];

/** The deliveries of one batch. */
const batchSize = 200;
/** Messages of a batch that are open at one time. */
const sentAtOnce = 16;

/** After so long others have their turn. */
const turnMs = 10_000;

/**
 * Delivers to one endpoint until nothing is due, its turn is over, a message is not answered, or the signal aborts.
 *
 * The first message of a turn is sent alone, so that a receiver that does not answer costs one connection and one
 * message. It is the one with the most attempts: the endpoint is disabled when the attempts of one delivery are used
 * up, however many others wait. Batches follow; while other endpoints have all of these, single messages.
 */
export async function deliverDue(
  webhookId: number,
  tools: DeliveryTools,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + turnMs;
  const isOver = () => signal.aborted || performance.now() >= until;
  const deliver = (limit: number, order: DueOrder = 'longest') =>
    deliverBatch(webhookId, tools, { limit, order, isOver });
  let answered = await deliver(1, 'most attempts');
  while (answered && !isOver())
    answered = await (tools.batches.tryRun(() => deliver(batchSize)) ?? deliver(1));
}

interface Batch {
  readonly limit: number;
  readonly order: DueOrder;
  /** Returns true if no further message may be sent. */
  isOver(): boolean;
}

/** Returns whether the next batch may follow: something was due, and every message that was sent got an answer. */
async function deliverBatch(webhookId: number, tools: DeliveryTools, batch: Batch): Promise<boolean> {
  const endpoint = await tools.store.endpoint(webhookId);
  const due = endpoint ? await tools.store.due(webhookId, batch.limit, batch.order) : [];
  if (!endpoint || due.length === 0) return false;
  const parts = new Map(due.map(({ entry }) => [entry, partsOf(entry)]));
  const users = due.flatMap((delivery) => usersIn(parts.get(delivery.entry) ?? [], delivery));
  const names = await tools.store.names([...new Set(users)]);
  const send = openEndpoint(endpoint, tools);
  const left = [...due];
  const attempted: Promise<Attempted>[] = [];
  let answered = true;
  const lane = async () => {
    for (let next = left.shift(); next && answered && !batch.isOver(); next = left.shift()) {
      const body = bodyOf(next.entry, parts.get(next.entry) ?? [], next, names);
      const { answer, ...came } = await send(next.id, body);
      if (came.status === null) answered = false;
      const { id, attempts } = next;
      const delivered = isDelivered(came);
      const waitSeconds = delivered ? null : (tools.waits[attempts] ?? null);
      // The next message does not wait for the text of this answer.
      attempted.push(answer.then((text) => ({ id, delivered, waitSeconds, ...came, answer: text })));
    }
  };
  await Promise.all(Array.from({ length: sentAtOnce }, lane));
  const disabled = await tools.store.settle(webhookId, await Promise.all(attempted));
  if (disabled !== null) tools.onDisabled(webhookId, disabled);
  return answered;
}
