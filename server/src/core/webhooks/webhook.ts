import { randomBytes } from 'node:crypto';
import { type EventType, eventTypes, isAboutRecord } from '../events/event.ts';
import { wrongParameter } from '../fields/parameters.ts';
import type { Author } from '../journal/journal.ts';
import type { Endpoint } from './attempt.ts';
import type { DeliveryHistory } from './delivery.ts';

/** How much one message tells: of one user, of all users of a record, or of a whole call or job. */
export const granularities = ['user', 'record', 'job'] as const;
export type Granularity = (typeof granularities)[number];

export interface Webhook {
  readonly id: number;
  readonly clientId: number | null;
  readonly url: string;
  /** Which events; all of them where empty. */
  readonly types: readonly EventType[];
  readonly granularity: Granularity;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly disabledWhy: string | null;
}

/** What can be chosen. */
export interface WebhookWish {
  readonly url: string;
  readonly types: readonly EventType[];
  readonly granularity: Granularity;
}

export interface WebhookStore extends DeliveryHistory {
  /** Told of everything that happens from now on. */
  create(
    wish: WebhookWish,
    sealSecret: (id: number) => Buffer,
    clientId: number | null,
    author: Author,
  ): Promise<Webhook>;
  list(): Promise<readonly Webhook[]>;
  /** Null where there is none. */
  find(id: number): Promise<Webhook | null>;
  change(
    id: number,
    change: Partial<WebhookWish> & { readonly enabled?: boolean },
    author: Author,
  ): Promise<Webhook | null>;
  remove(id: number, author: Author): Promise<boolean>;
  /** Puts a new secret before the one that was there, which then signs up to `oldEndsAt`. */
  addSecret(id: number, sealed: Buffer, oldEndsAt: Date, author: Author): Promise<boolean>;
  /** Where a message would go, disabled or not. */
  endpoint(id: number): Promise<Endpoint | null>;
}

const urlMax = 2000;

/** What the secret of a webhook is bound to. */
export function webhookName(id: number): string {
  return `webhook ${id}`;
}

/** Says what is wrong with an address that nothing should be delivered to. */
export function checkUrl(text: string): string {
  const url = readUrl(text);
  if (url === null) throw wrongParameter('URL', 'url');
  return url;
}

/** An address that messages can be sent to; null for any other text. */
export function readUrl(text: string): string | null {
  if (text.length > urlMax || !URL.canParse(text)) return null;
  const url = new URL(text);
  const plain = url.username === '' && url.password === '' && url.hash === '';
  return plain && /^https?:$/.test(url.protocol) ? url.toString() : null;
}

/** The URL as audit rows and events show it. Path and query may hold a secret of the receiver, so `/…` stands for them. */
export function urlForAudit(text: string): string {
  const { origin, pathname, search } = new URL(text);
  return pathname + search === '/' ? origin : `${origin}/…`;
}

export function checkTypes(types: readonly unknown[]): EventType[] {
  return types.map((type) => {
    const known = eventTypes.find((other) => other === type);
    if (known) return known;
    const takes = eventTypes.join(', ');
    throw wrongParameter('Types', 'choice', { takes });
  });
}

export function checkGranularity(value: unknown): Granularity {
  const known = granularities.find((other) => other === value);
  if (known) return known;
  const takes = granularities.join(', ');
  throw wrongParameter('Granularity', 'choice', { takes });
}

/** What would never be told anything is not what was meant. */
export function checkTold({ types, granularity }: Pick<WebhookWish, 'types' | 'granularity'>): void {
  if (granularity !== 'job' || types.length === 0 || !types.every(isAboutRecord)) return;
  const takes = eventTypes.filter((type) => !isAboutRecord(type)).join(', ');
  throw wrongParameter('Types', 'choice', { takes });
}

/** As Standard Webhooks writes it. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
