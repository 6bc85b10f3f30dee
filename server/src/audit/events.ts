import type { EventNames } from '../db/lookups.ts';
import type { Order } from '../db/paging.ts';
import type { CallerTags } from '../db/visibility.ts';
import type { Action, Actor, AuditRow } from './audit-log.ts';

export const eventTypes = [
  'principal.inserted',
  'principal.updated',
  'principal.state_changed',
  'principal.merged',
  'principal.deleted',
  'user.registered',
  'user.password_reset',
  'user.invited',
  'user.updated',
  'user.state_changed',
  'user.moved',
  'user.deleted',
  'call.completed',
  'job.completed',
  'webhook.disabled',
] as const;
export type EventType = (typeof eventTypes)[number];

/** The type of a test message to a webhook. No audit row produces it, and a webhook cannot subscribe to it. */
export const testType = 'webhook.test';
export type MessageType = EventType | typeof testType;

export function isAboutRecord(type: EventType): boolean {
  return /^(user|principal)\./.test(type);
}

/** The columns of an audit row in the hash chain that its events are built from. */
export interface Entry
  extends Omit<AuditRow, Exclude<keyof Actor, 'requestId'> | 'clientName' | 'id' | 'hash'> {
  readonly position: number;
  /** The name of the operator whose action it is; null if it is that of a client, a user or the service. */
  readonly operator: string | null;
}

export const eventActions: readonly Action[] = [
  'insert',
  'update',
  'state',
  'delete',
  'call.completed',
  'job.completed',
  'webhook.disabled',
];

/** One event within an entry: an entry that names several users has one part for each of them. */
export interface Part {
  readonly type: EventType;
  readonly userId: number | null;
  readonly state?: string;
  /** The names of the changed fields, of an `updated` event. */
  readonly changed?: readonly string[];
  /** The ID of the principal that the user had before, of a `moved` event, or of the one that was merged. */
  readonly from?: number;
  /** The way in which the user gets its code, of an `invited` event. */
  readonly channel?: string;
}

/** Splits an entry into its events. The order is fixed, because the event ID contains the index of the part. */
export function partsOf(entry: Entry): Part[] {
  switch (entry.action) {
    case 'insert':
      return [{ type: 'principal.inserted', userId: null }, ...userParts(entry)];
    case 'update':
    case 'state':
      return [...principalParts(entry), ...userParts(entry)];
    case 'delete':
      return [{ type: 'principal.deleted', userId: null }, ...userParts(entry)];
    case 'call.completed':
    case 'job.completed':
    case 'webhook.disabled':
      return [{ type: entry.action, userId: null }];
    default:
      return [];
  }
}

/** The details of an audit row about a record. They contain names of fields, but no values except states. */
interface RecordDetails {
  readonly changed?: readonly string[];
  readonly state?: string;
  readonly users?: readonly (readonly [id: number, changed: readonly string[], state: string | null])[];
  readonly moved?: readonly (readonly [id: number, from: number])[];
  readonly merged?: readonly [id: number, externalKey: string | null];
  /** The same in the further rows of a merge that moves many users. */
  readonly mergedBefore?: readonly [id: number, externalKey: string | null];
  readonly invited?: readonly (readonly [id: number, channel: string])[];
  readonly externalKey?: string;
}

function principalParts({ details }: Entry): Part[] {
  const { changed, state, merged } = (details ?? {}) as RecordDetails;
  const parts: Part[] = [];
  if (merged) parts.push({ type: 'principal.merged', userId: null, from: merged[0] });
  if (changed) parts.push({ type: 'principal.updated', userId: null, changed });
  if (state !== undefined) parts.push({ type: 'principal.state_changed', userId: null, state });
  return parts;
}

/** Fields whose change has an event of its own. */
const separateFields = ['State', 'Password'];

function userParts({ registered, reset, deleted, details }: Entry): Part[] {
  const parts: Part[] = [];
  const add = (type: EventType, ids: readonly number[] | null) => {
    for (const userId of ids ?? []) parts.push({ type, userId });
  };
  add('user.registered', registered);
  add('user.password_reset', reset);
  for (const [userId, names, state] of ((details ?? {}) as RecordDetails).users ?? []) {
    const changed = names.filter((name) => !separateFields.includes(name));
    if (changed.length > 0) parts.push({ type: 'user.updated', userId, changed });
    if (state !== null) parts.push({ type: 'user.state_changed', userId, state });
  }
  for (const [userId, from] of ((details ?? {}) as RecordDetails).moved ?? [])
    parts.push({ type: 'user.moved', userId, from });
  for (const [userId, channel] of ((details ?? {}) as RecordDetails).invited ?? [])
    parts.push({ type: 'user.invited', userId, channel });
  add('user.deleted', deleted);
  return parts;
}

/** Returns the IDs of the principals that events of the entry name. */
export function principalsIn({ principalId }: Entry, parts: readonly Part[]): number[] {
  const sources = parts.flatMap(({ from }) => from ?? []);
  return principalId === null ? sources : [principalId, ...sources];
}

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

/** Returns the ID of an event: the position of its entry, and the zero-based index of its part. */
export function eventId({ position }: Entry, nth: number): string {
  return `${position}.${nth}`;
}

export function eventOf(entry: Entry, part: Part, nth: number, names: EventNames): CloudEvent {
  const subject = subjectOf(entry, part);
  return {
    specversion: '1.0',
    id: eventId(entry, nth),
    source,
    type: part.type,
    ...(subject !== null && { subject }),
    time: entry.at.toISOString(),
    datacontenttype: 'application/json',
    data: {
      ...dataOf(entry, part, names),
      ...(entry.operator !== null && { Operator: entry.operator }),
    },
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
  { type, userId, state, changed, from, channel }: Part,
  names: EventNames,
): Record<string, unknown> {
  const { principalId: IRID, details } = entry;
  if (type.endsWith('.completed')) return completedData(entry);
  if (type === 'webhook.disabled') return { WebhookID: details?.webhook, URL: details?.url };
  const more = {
    ...(state !== undefined && { State: state }),
    ...(changed && { Changed: changed }),
    ...(channel !== undefined && { Invite: channel }),
    ...(from !== undefined && formerPrincipal(entry, from, names)),
  };
  const data = { IRID, ExternalKey: externalKeyOf(entry, names) };
  if (userId === null) return { ...data, ...more };
  if (type === 'user.deleted') return { ...data, UserID: userId };
  const { username = null, email = null } = names.users.get(userId) ?? {};
  return { ...data, UserID: userId, Username: username, Email: email, ...more };
}

/** The audit rows of a deleted principal keep its key, which is stored nowhere else. */
function externalKeyOf({ principalId, details }: Entry, { externalKeys }: EventNames): string | null {
  const { externalKey } = (details ?? {}) as RecordDetails;
  return externalKey ?? externalKeys.get(principalId ?? 0) ?? null;
}

/** Leaves out a principal that a limited caller does not see. */
function formerPrincipal(entry: Entry, from: number, names: EventNames): Record<string, unknown> {
  if (names.principals && !names.principals.has(from)) return { FromIRID: null, FromExternalKey: null };
  return { FromIRID: from, FromExternalKey: formerKey(entry, from, names) };
}

/** The audit rows of a merge keep the key of the merged principal. */
function formerKey({ details }: Entry, from: number, { externalKeys }: EventNames): string | null {
  const { merged: first, mergedBefore } = (details ?? {}) as RecordDetails;
  const [merged, key] = first ?? mergedBefore ?? [];
  return (merged === from ? key : externalKeys.get(from)) ?? null;
}

function completedData({ action, callId, requestId, details }: Entry): Record<string, unknown> {
  const id = action === 'job.completed' ? { JobID: callId } : { RequestId: requestId };
  return {
    ...id,
    Operation: details?.operation,
    ...(action === 'job.completed' && { State: details?.cancelled ? 'cancelled' : 'completed' }),
    Records: details?.records,
    RecordsFailed: details?.recordsFailed,
    Users: details?.users,
    UsersApplied: details?.usersApplied,
  };
}

export interface FoundEntries {
  readonly entries: readonly Entry[];
  readonly more: boolean;
  /**
   * The last position that was examined; null if all were. Few of many entries may be those of a limited caller, so that a
   * request examines a limited number.
   */
  readonly examined: number | null;
}

export interface EventStore {
  end(): Promise<number>;
  /**
   * Returns up to `limit` entries that produce events and that the caller sees, starting at the position `from` in the given
   * order, and fewer if they are large. `more` is true if further entries follow among those that were examined.
   */
  entries(
    range: { readonly order: Order; readonly from: number; readonly limit: number },
    callerTags: CallerTags,
  ): Promise<FoundEntries>;
  names(subjects: NamedSubjects, callerTags: CallerTags): Promise<EventNames>;
}

/** The principals and users that events name. IDs may occur more than once. */
export interface NamedSubjects {
  readonly principalIds: readonly number[];
  readonly userIds: readonly number[];
}
