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
  type UserNames,
} from '../events/event.ts';
import type { Granularity } from './webhook.ts';

/** What one message is about: one event of an entry, or all of a type. */
export interface Subject {
  readonly type: EventType;
  /** The place of the event in its entry; null where the message is about all of the type. */
  readonly event: number | null;
}

interface Wish {
  readonly types: readonly EventType[];
  readonly granularity: Granularity;
}

/** The messages that an entry makes for an endpoint. */
export function subjectsOf(entry: Entry, { types, granularity }: Wish): Subject[] {
  const wanted = (type: EventType) => types.length === 0 || types.includes(type);
  const parts = partsOf(entry);
  if (granularity === 'user') {
    return parts.flatMap(({ type }, event) => (wanted(type) ? [{ type, event }] : []));
  }
  const each = [...new Set(parts.map(({ type }) => type))].filter(wanted);
  const told = granularity === 'record' ? each : each.filter((type) => !isAboutRecord(type));
  return told.map((type) => ({ type, event: null }));
}

/** The users that a message names. */
export function usersIn(parts: readonly Part[], subject: Subject): number[] {
  return partsIn(parts, subject)
    .map(({ part }) => part.userId)
    .filter((id) => id !== null);
}

/** The body of a message: a CloudEvent; about several users, its data has them in `Users`. */
export function bodyOf(
  entry: Entry,
  parts: readonly Part[],
  subject: Subject,
  names: ReadonlyMap<number, UserNames>,
): string {
  const events = partsIn(parts, subject).map(({ part, nth }) => eventOf(entry, part, nth, names));
  const [first] = events;
  if (!first) throw new Error('A message is about nothing.');
  if (subject.event !== null || first.data.UserID === undefined) return JSON.stringify(first);
  const { IRID } = first.data;
  const Users = events.map(({ data: { IRID: _, ...user } }) => user);
  return JSON.stringify({ ...first, subject: `principals/${IRID}`, data: { IRID, Users } });
}

/** The body of a message that tells of nothing. */
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
