import { type Entry, type MessageType, partsOf, testType, type UserNames } from '../events/event.ts';
import { Refusal } from '../faults.ts';
import type { Page } from '../jobs/job.ts';
import type { Author } from '../journal/journal.ts';
import { bodyOf, testBody, usersIn } from './message.ts';
import type { Tested } from './test.ts';

export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** One message to one endpoint, with what came of its last attempt. */
export interface Delivery {
  readonly id: string;
  readonly type: MessageType;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly nextAt: Date;
  readonly attemptedAt: Date | null;
  readonly status: number | null;
  readonly failure: string | null;
}

/** What else is kept of a delivery. */
export interface KeptDelivery extends Delivery {
  readonly answer: string | null;
  /** Null before the first attempt. */
  readonly milliseconds: number | null;
  /** What it tells of; null for a test, and where that is no longer kept. */
  readonly entry: Entry | null;
  /** As in `Subject`. */
  readonly event: number | null;
}

/** A delivery with the body of its message, as it is sent; null where what it tells of is no longer kept. */
export interface WholeDelivery extends KeptDelivery {
  readonly message: string | null;
}

export interface DeliveryListing extends Page {
  /** Only those that were given up. */
  readonly failedOnly: boolean;
}

/** What was told to endpoints, and what came back. */
export interface DeliveryHistory {
  /** The newest first; no more than `newestListed`. */
  deliveries(
    webhookId: number,
    listing: DeliveryListing,
  ): Promise<{ deliveries: readonly Delivery[]; totalCount: number }>;
  /** Null where there is none, or its endpoint was removed. */
  delivery(webhookId: number, id: string): Promise<KeptDelivery | null>;
  names(userIds: readonly number[]): Promise<ReadonlyMap<number, UserNames>>;
  /** Puts a test among the deliveries. */
  noteTest(webhookId: number, tested: Tested): Promise<void>;
  /** Has deliveries attempted anew from the beginning: one, or all that failed. How many. */
  replay(webhookId: number, id: string | null, author: Author): Promise<number>;
}

/** Shows a delivery in whole. The message is made as whoever sends makes it, so that users have the names of now. */
export async function showDelivery(
  webhookId: number,
  id: string,
  history: DeliveryHistory,
): Promise<WholeDelivery> {
  const kept = await history.delivery(webhookId, id);
  if (!kept) throw new Refusal('WEBHOOK_NOT_FOUND');
  return { ...kept, message: await messageOf(kept, webhookId, history) };
}

async function messageOf(
  kept: KeptDelivery,
  webhookId: number,
  history: DeliveryHistory,
): Promise<string | null> {
  const { type, event, entry } = kept;
  if (type === testType) return testBody(webhookId, kept);
  if (!entry) return null;
  const subject = { type, event };
  const parts = partsOf(entry);
  const names = await history.names([...new Set(usersIn(parts, subject))]);
  return bodyOf(entry, parts, subject, names);
}
