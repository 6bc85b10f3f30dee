import { randomBytes } from 'node:crypto';
import { type EventType, eventTypes, isAboutRecord } from '../audit/events.ts';
import { ApiError, wrongParameter } from '../lib/field-errors.ts';
import type { DisabledReason } from '../lib/webhook-failures.ts';

/** The content of one message: one user, up to 1,000 users of a record, or a whole request or job. */
export const granularities = ['user', 'record', 'job'] as const;
export type Granularity = (typeof granularities)[number];

export interface Webhook {
  readonly id: number;
  readonly clientId: number | null;
  readonly url: string;
  /** Event types to deliver; empty means all. */
  readonly types: readonly EventType[];
  readonly granularity: Granularity;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly disabledReason: DisabledReason | null;
}

export type WebhookOptions = Pick<Webhook, 'url' | 'types' | 'granularity'>;
export type WebhookChange = Partial<WebhookOptions> & { readonly enabled?: boolean };
export type Subscription = Pick<WebhookOptions, 'types' | 'granularity'>;

export const urlMax = 2000;

/** Throws `WEBHOOK_NOT_FOUND` if a store has found nothing. */
export function existing<Found>(found: Found | null | false): Found {
  if (!found) throw new ApiError('WEBHOOK_NOT_FOUND');
  return found;
}

/** Returns the associated data of an encrypted secret: another webhook cannot decrypt it. */
export function webhookName(id: number): string {
  return `webhook ${id}`;
}

/** Returns the normalised URL; null if the text is not an http(s) URL, or has credentials or a fragment. */
export function readUrl(text: string): string | null {
  if (text.length > urlMax || !URL.canParse(text)) return null;
  const url = new URL(text);
  const plain = url.username === '' && url.password === '' && url.hash === '';
  return plain && /^https?:$/.test(url.protocol) ? url.toString() : null;
}

export const jobEventTypes = eventTypes.filter((type) => !isAboutRecord(type));

/** Returns false for granularity `job` with only user and principal events: it would never deliver a message. */
export function canDeliver({ types, granularity }: Subscription): boolean {
  return granularity !== 'job' || types.length === 0 || !types.every(isAboutRecord);
}

export function checkSubscription(subscription: Subscription): void {
  if (!canDeliver(subscription)) throw wrongParameter('Types', 'choice', { takes: jobEventTypes.join(', ') });
}

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export interface Endpoint {
  readonly id: number;
  readonly url: string;
  /** The encrypted secrets: the newest first, then the previous one during its grace period. */
  readonly encryptedSecrets: readonly Buffer[];
}
