import type { Action } from '../journal/journal.ts';

export const eventTypes = [
  'principal.inserted',
  'principal.state_changed',
  'user.registered',
  'user.password_reset',
  'user.state_changed',
  'call.completed',
  'job.completed',
  'webhook.disabled',
] as const;
export type EventType = (typeof eventTypes)[number];

/** Of a message that an endpoint is tried with: nothing has happened, and nobody can ask to be told of it. */
export const testType = 'webhook.test';
export type MessageType = EventType | typeof testType;

/** Whether an event is about one principal or user, and not about a call or an endpoint as a whole. */
export function isAboutRecord(type: EventType): boolean {
  return /^(user|principal)\./.test(type);
}

/** A row of the journal, as far as events are made of it. */
export interface Entry {
  readonly position: number;
  readonly at: Date;
  readonly callId: string | null;
  readonly requestId: string | null;
  readonly action: Action;
  readonly principalId: number | null;
  readonly registered: readonly number[] | null;
  readonly reset: readonly number[] | null;
  readonly details: Readonly<Record<string, unknown>> | null;
}

/** The actions that make events. */
export const eventActions: readonly Action[] = [
  'insert',
  'update',
  'state',
  'call.completed',
  'job.completed',
  'webhook.disabled',
];

/** A part of an entry that is an event of its own. */
export interface Part {
  readonly type: EventType;
  readonly userId: number | null;
  readonly state?: unknown;
}

/** What happened, part by part, always in the same order: an event is known by its entry and its place in it. */
export function partsOf(entry: Entry): Part[] {
  const { action, registered, reset } = entry;
  const users = (type: EventType, ids: readonly number[] | null): Part[] =>
    (ids ?? []).map((userId) => ({ type, userId }));
  switch (action) {
    case 'insert':
      return [{ type: 'principal.inserted', userId: null }, ...users('user.registered', registered)];
    case 'update':
      return [...users('user.registered', registered), ...users('user.password_reset', reset)];
    case 'state':
      return stateParts(entry.details as StateDetails | null);
    case 'call.completed':
    case 'job.completed':
    case 'webhook.disabled':
      return [{ type: action, userId: null }];
    default:
      return [];
  }
}

interface StateDetails {
  readonly state?: string;
  readonly users?: readonly (readonly [id: number, state: string])[];
}

function stateParts(details: StateDetails | null): Part[] {
  const { state, users = [] } = details ?? {};
  const own: Part[] = state === undefined ? [] : [{ type: 'principal.state_changed', userId: null, state }];
  const theirs = users.map(([userId, changed]): Part => {
    return { type: 'user.state_changed', userId, state: changed };
  });
  return [...own, ...theirs];
}

export interface UserNames {
  readonly username: string;
  readonly email: string | null;
}

/** CloudEvents 1.0, in JSON. */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: MessageType;
  readonly subject?: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly data: Readonly<Record<string, unknown>>;
}

export const source = '/api/sync/v1';

export function eventOf(
  entry: Entry,
  part: Part,
  nth: number,
  names: ReadonlyMap<number, UserNames>,
): CloudEvent {
  const subject = subjectOf(entry, part);
  return {
    specversion: '1.0',
    id: `${entry.position}.${nth}`,
    source,
    type: part.type,
    ...(subject !== null && { subject }),
    time: entry.at.toISOString(),
    datacontenttype: 'application/json',
    data: dataOf(entry, part, names),
  };
}

function subjectOf({ principalId, callId, requestId, action }: Entry, { userId }: Part): string | null {
  if (userId !== null) return `users/${userId}`;
  if (principalId !== null) return `principals/${principalId}`;
  if (action === 'job.completed') return `jobs/${callId}`;
  return requestId === null ? null : `calls/${requestId}`;
}

function dataOf(
  entry: Entry,
  { type, userId, state }: Part,
  names: ReadonlyMap<number, UserNames>,
): Record<string, unknown> {
  const { principalId: IRID, details } = entry;
  if (type.endsWith('.completed')) return completedData(entry);
  if (type === 'webhook.disabled') return { WebhookID: details?.webhook, URL: details?.url };
  const State = state === undefined ? {} : { State: state };
  if (userId === null) return { IRID, ...State };
  const known = names.get(userId);
  return { IRID, UserID: userId, Username: known?.username ?? null, Email: known?.email ?? null, ...State };
}

function completedData({ action, callId, requestId, details }: Entry): Record<string, unknown> {
  const what = action === 'job.completed' ? { JobID: callId } : { RequestId: requestId };
  return {
    ...what,
    Operation: details?.operation,
    ...(action === 'job.completed' && { State: details?.cancelled ? 'cancelled' : 'completed' }),
    Records: details?.records,
    RecordsFailed: details?.recordsFailed,
    Users: details?.users,
    UsersApplied: details?.usersApplied,
  };
}
