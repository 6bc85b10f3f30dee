import type { Actor } from '../audit/audit-log.ts';
import {
  type Entry,
  type MessageType,
  type NamedSubjects,
  partsOf,
  principalsIn,
  testType,
} from '../audit/events.ts';
import type { EventNames } from '../db/lookups.ts';
import type { Page } from '../db/paging.ts';
import type { Queries } from '../encryption/key-ring.ts';
import type { DeliveryFailure } from '../lib/webhook-failures.ts';
import { bodyOf, testBody, usersIn } from './message.ts';
import { type Endpoint, existing, type Webhook, type WebhookChange, type WebhookOptions } from './webhook.ts';

/** One message to one webhook, with the result of its last attempt. */
export interface Delivery {
  readonly id: string;
  readonly type: MessageType;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly createdAt: Date;
  readonly nextAt: Date;
  readonly attemptedAt: Date | null;
  readonly status: number | null;
  readonly failure: DeliveryFailure | null;
}

export interface StoredDelivery extends Delivery {
  readonly answer: string | null;
  readonly milliseconds: number | null;
  /** The audit row of the message; null for a test message, and after retention has removed the row. */
  readonly entry: Entry | null;
  /** Same as `Subject.event`; null for a test message. */
  readonly event: number | null;
  readonly isGroup: boolean;
}

export interface DeliveryListing extends Page {
  /** True lists only the deliveries that have no attempts left. */
  readonly failedOnly: boolean;
}

export interface DeliveryHistory {
  /** Returns a page, the newest first, of at most `newestListed` deliveries in total. */
  deliveries(
    webhookId: number,
    listing: DeliveryListing,
  ): Promise<{ deliveries: readonly Delivery[]; totalCount: number }>;
  /** Returns null if the delivery does not exist or its webhook was deleted. */
  delivery(webhookId: number, id: string): Promise<StoredDelivery | null>;
  names(subjects: NamedSubjects): Promise<EventNames>;
  storeTest(webhookId: number, result: TestResult): Promise<void>;
  /** Resets one delivery to its first attempt, or all failed ones if `id` is null. Returns the number of deliveries. */
  replay(webhookId: number, id: string | null, actor: Actor): Promise<number>;
}

/**
 * Returns a delivery with its message, which is null after retention has removed the audit row. The body is built as
 * for sending, with the current names of the users.
 */
export async function showDelivery(
  webhookId: number,
  id: string,
  history: DeliveryHistory,
): Promise<StoredDelivery & { message: string | null }> {
  const delivery = existing(await history.delivery(webhookId, id));
  const { type, event, isGroup, entry } = delivery;
  if (type === testType) return { ...delivery, message: testBody(webhookId, delivery) };
  if (!entry) return { ...delivery, message: null };
  const subject = { type, event: event ?? 0, isGroup };
  const parts = partsOf(entry);
  const principalIds = principalsIn(entry, parts);
  const names = await history.names({ principalIds, userIds: usersIn(parts, subject) });
  return { ...delivery, message: bodyOf(entry, parts, subject, names) };
}

export interface TestResult extends AttemptResult {
  readonly id: string;
  readonly createdAt: Date;
  readonly delivered: boolean;
}

/** Encrypts the secret of the webhook with this ID, and locks the master key until the end of the transaction. */
export type SecretEncryption = (connection: Queries, id: number) => Promise<Buffer>;

export interface WebhookStore extends DeliveryHistory {
  /** Creates a webhook that receives the events from now on. `clientId` is null for a webhook without an owner. */
  create(
    options: WebhookOptions,
    encryptSecret: SecretEncryption,
    clientId: number | null,
    actor: Actor,
  ): Promise<Webhook>;
  list(): Promise<readonly Webhook[]>;
  find(id: number): Promise<Webhook | null>;
  change(id: number, change: WebhookChange, actor: Actor): Promise<Webhook | null>;
  remove(id: number, actor: Actor): Promise<boolean>;
  /** Adds a new secret. The previous one signs too until `oldEndsAt`. Returns false if the webhook does not exist. */
  rotateSecret(id: number, encryptSecret: SecretEncryption, oldEndsAt: Date, actor: Actor): Promise<boolean>;
  /** Returns the URL and the secrets of a webhook, disabled or not; null if it does not exist. */
  endpoint(id: number): Promise<Endpoint | null>;
}

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

export interface AttemptResult extends SendResult {
  /** The beginning of the response body, which is untrusted text; null if it is empty. */
  readonly answer: string | null;
  /** Time until the status arrived or the request failed. */
  readonly milliseconds: number;
}
