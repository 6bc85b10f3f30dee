import type { Actor } from '../audit/audit-log.ts';
import { type Entry, type MessageType, partsOf, testType } from '../audit/events.ts';
import type { UserNames } from '../db/user-names.ts';
import { ApiError } from '../lib/field-errors.ts';
import type { Page } from '../lib/paging.ts';
import type { DeliveryFailure } from '../lib/webhook-failures.ts';
import { bodyOf, testBody, usersIn } from './message.ts';
import type { Endpoint, Webhook, WebhookOptions } from './webhook.ts';

type DeliveryState = 'pending' | 'delivered' | 'failed';

/** One message to one webhook, with the result of its last attempt. */
export interface Delivery {
  readonly id: string;
  readonly type: MessageType;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly nextAt: Date;
  readonly attemptedAt: Date | null;
  readonly status: number | null;
  readonly failure: DeliveryFailure | null;
}

/** A delivery with the stored response and its audit row. */
export interface StoredDelivery extends Delivery {
  readonly answer: string | null;
  /** Duration of the last attempt; null before the first one. */
  readonly milliseconds: number | null;
  /** The audit row of the message; null for a test message, and after retention has removed the row. */
  readonly entry: Entry | null;
  /** Same as `Subject.event`. */
  readonly event: number | null;
}

export interface WholeDelivery extends StoredDelivery {
  /** The body of the request; null after retention has removed the audit row. */
  readonly message: string | null;
}

export interface DeliveryListing extends Page {
  /** True lists only the deliveries that have no attempts left. */
  readonly failedOnly: boolean;
}

/** The store that lists and replays deliveries. */
export interface DeliveryHistory {
  /** Returns a page, the newest first, of at most `newestListed` deliveries in total. */
  deliveries(
    webhookId: number,
    listing: DeliveryListing,
  ): Promise<{ deliveries: readonly Delivery[]; totalCount: number }>;
  /** Returns null if the delivery does not exist or its webhook was deleted. */
  delivery(webhookId: number, id: string): Promise<StoredDelivery | null>;
  names(userIds: readonly number[]): Promise<ReadonlyMap<number, UserNames>>;
  /** Stores a test message among the deliveries. */
  storeTest(webhookId: number, result: TestResult): Promise<void>;
  /** Resets one delivery to its first attempt, or all failed ones if `id` is null. Returns the number of deliveries. */
  replay(webhookId: number, id: string | null, actor: Actor): Promise<number>;
}

/** Returns a delivery with its message. The body is built as for sending, with the current names of the users. */
export async function showDelivery(
  webhookId: number,
  id: string,
  history: DeliveryHistory,
): Promise<WholeDelivery> {
  const delivery = await history.delivery(webhookId, id);
  if (!delivery) throw new ApiError('WEBHOOK_NOT_FOUND');
  return { ...delivery, message: await messageOf(delivery, webhookId, history) };
}

async function messageOf(
  delivery: StoredDelivery,
  webhookId: number,
  history: DeliveryHistory,
): Promise<string | null> {
  const { type, event, entry } = delivery;
  if (type === testType) return testBody(webhookId, delivery);
  if (!entry) return null;
  const subject = { type, event };
  const parts = partsOf(entry);
  const names = await history.names([...new Set(usersIn(parts, subject))]);
  return bodyOf(entry, parts, subject, names);
}

/** A test message and its result. */
export interface TestResult extends AttemptResult {
  /** The value of the `webhook-id` header. */
  readonly id: string;
  readonly createdAt: Date;
  readonly delivered: boolean;
}

export interface WebhookStore extends DeliveryHistory {
  /** Creates a webhook that receives the events from now on. `clientId` is null for a webhook without an owner. */
  create(
    options: WebhookOptions,
    encryptSecret: (id: number) => Buffer,
    clientId: number | null,
    actor: Actor,
  ): Promise<Webhook>;
  list(): Promise<readonly Webhook[]>;
  /** Returns null if the webhook does not exist. */
  find(id: number): Promise<Webhook | null>;
  /** Returns null if the webhook does not exist. */
  change(
    id: number,
    change: Partial<WebhookOptions> & { readonly enabled?: boolean },
    actor: Actor,
  ): Promise<Webhook | null>;
  /** Returns false if the webhook does not exist. */
  remove(id: number, actor: Actor): Promise<boolean>;
  /** Adds a new secret. The previous one signs too until `oldEndsAt`. Returns false if the webhook does not exist. */
  addSecret(id: number, encrypted: Buffer, oldEndsAt: Date, actor: Actor): Promise<boolean>;
  /** Returns the URL and the secrets of a webhook, disabled or not; null if it does not exist. */
  endpoint(id: number): Promise<Endpoint | null>;
}

/** The result of one request to a receiver. */
interface SendResult {
  /** HTTP status of the response; null if there was none. */
  readonly status: number | null;
  /** Null if the receiver answered with 2xx. */
  readonly failure: DeliveryFailure | null;
}

/** The result at the time the status arrives. The sender need not wait for the response body. */
export interface Sent extends SendResult {
  readonly answer: Promise<string | null>;
}

/** The complete result of one attempt. */
export interface AttemptResult extends SendResult {
  /** The beginning of the response body, which is untrusted text; null if it is empty. */
  readonly answer: string | null;
  /** Time until the status arrived or the request failed. */
  readonly milliseconds: number;
}
