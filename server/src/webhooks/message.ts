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
import type { UserNames } from '../db/lookups.ts';
import type { Subscription } from './webhook.ts';

/** The content of one message: one event of an audit row, or all its events of one type. */
export interface Subject {
  readonly type: EventType;
  /** Zero-based index of the event in its audit row; null if the message contains all events of the type. */
  readonly event: number | null;
}

export function subjectsOf(entry: Entry, { types, granularity }: Subscription): Subject[] {
  const isSubscribed = (type: EventType) => types.length === 0 || types.includes(type);
  const parts = partsOf(entry);
  if (granularity === 'user') {
    return parts.flatMap(({ type }, event) => (isSubscribed(type) ? [{ type, event }] : []));
  }
  const distinct = [...new Set(parts.map(({ type }) => type))].filter(isSubscribed);
  const sentTypes = granularity === 'record' ? distinct : distinct.filter((type) => !isAboutRecord(type));
  return sentTypes.map((type) => ({ type, event: null }));
}

/** Returns the IDs of the users that a message names. An ID may occur more than once. */
export function usersIn(parts: readonly Part[], subject: Subject): number[] {
  return partsIn(parts, subject)
    .map(({ part }) => part.userId)
    .filter((id) => id !== null);
}

/** Returns the body of a message, a CloudEvent in JSON. A message for all users of a record lists them in `Users`. */
export function bodyOf(
  entry: Entry,
  parts: readonly Part[],
  subject: Subject,
  names: ReadonlyMap<number, UserNames>,
): string {
  const events = partsIn(parts, subject).map(({ part, nth }) => eventOf(entry, part, nth, names));
  const [first] = events;
  if (!first) throw new Error('The message has no event.');
  if (subject.event !== null || first.data.UserID === undefined) return JSON.stringify(first);
  const { IRID } = first.data;
  const Users = events.map(({ data: { IRID: _, ...user } }) => user);
  return JSON.stringify({ ...first, subject: `principals/${IRID}`, data: { IRID, Users } });
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

function partsIn(parts: readonly Part[], { type, event }: Subject): { part: Part; nth: number }[] {
  if (event !== null) {
    const part = parts[event];
    return part ? [{ part, nth: event }] : [];
  }
  return parts.map((part, nth) => ({ part, nth })).filter(({ part }) => part.type === type);
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
