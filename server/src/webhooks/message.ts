import { createHmac } from 'node:crypto';
import {
  type CloudEvent,
  type Entry,
  type EventType,
  eventOf,
  isAboutRecord,
  type Part,
  partsOf,
  source,
  testType,
} from '../audit/events.ts';
import type { EventNames } from '../db/lookups.ts';
import type { Subscription } from './webhook.ts';

/** The content of one message: one event of an audit row, or up to `eventsPerMessage` of its events of one type. */
export interface Subject {
  readonly type: EventType;
  /** Zero-based index of the first event in its audit row. */
  readonly event: number;
  /** True if the message also contains the next events of the same type. */
  readonly isGroup: boolean;
}

/** Maximum number of events in one message: a record may have 10,000 users. */
export const eventsPerMessage = 1000;

export function subjectsOf(entry: Entry, { types, granularity }: Subscription): Subject[] {
  const isSubscribed = (type: EventType) => types.length === 0 || types.includes(type);
  const parts = partsOf(entry);
  const counts = new Map<EventType, number>();
  return parts.flatMap(({ type }, event): Subject[] => {
    if (!isSubscribed(type)) return [];
    if (granularity === 'user') return [{ type, event, isGroup: false }];
    if (granularity === 'job' && isAboutRecord(type)) return [];
    const before = counts.get(type) ?? 0;
    counts.set(type, before + 1);
    return before % eventsPerMessage === 0 ? [{ type, event, isGroup: true }] : [];
  });
}

/** Returns the IDs of the users that a message names. An ID may occur more than once. */
export function usersIn(parts: readonly Part[], subject: Subject): number[] {
  return partsIn(parts, subject)
    .map(({ part }) => part.userId)
    .filter((id) => id !== null);
}

/** Returns the body of a message, a CloudEvent in JSON. A message for the users of a record lists them in `Users`. */
export function bodyOf(entry: Entry, parts: readonly Part[], subject: Subject, names: EventNames): string {
  const events = partsIn(parts, subject).map(({ part, nth }) => eventOf(entry, part, nth, names));
  const [first] = events;
  if (!first) throw new Error('The message has no event.');
  if (!subject.isGroup || first.data.UserID === undefined) return JSON.stringify(first);
  const { IRID, ExternalKey } = first.data;
  const Users = events.map(({ data: { IRID: _, ExternalKey: __, ...user } }) => user);
  return JSON.stringify({ ...first, subject: `principals/${IRID}`, data: { IRID, ExternalKey, Users } });
}

export function testBody(webhookId: number, { id, createdAt }: { id: string; createdAt: Date }): string {
  const event: CloudEvent = {
    specversion: '1.0',
    id,
    source,
    type: testType,
    subject: `webhooks/${webhookId}`,
    time: createdAt.toISOString(),
    datacontenttype: 'application/json',
    data: { WebhookID: webhookId },
  };
  return JSON.stringify(event);
}

function partsIn(parts: readonly Part[], { type, event, isGroup }: Subject): { part: Part; nth: number }[] {
  const found: { part: Part; nth: number }[] = [];
  const limit = isGroup ? eventsPerMessage : 1;
  for (let nth = event; nth < parts.length && found.length < limit; nth++) {
    const part = parts[nth];
    if (part?.type === type) found.push({ part, nth });
  }
  return found;
}

/** Returns the headers that Standard Webhooks defines, with one signature for each secret, the newest first. */
export function signedHeaders(
  secrets: readonly string[],
  message: { id: string; body: string },
  at: Date,
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const signed = `${message.id}.${timestamp}.${message.body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
