import type { Order } from '../db/paging.ts';
import {
  type Chain,
  type ChainEnd,
  type ChainKeys,
  type HashedRow,
  type Verdict,
  verifyChain,
} from './hash-chain.ts';

/** The origin of an action: the identity that performed it, its address and its request. */
export interface Actor {
  /**
   * `client`: an API client. `console`: a client signed in at the console. `user`: a signed-in user, or an
   * unauthenticated caller if `userId` is null. `protected`: a caller in protected mode. `operator`: a command at the
   * command line. `service`: the service itself.
   */
  readonly kind: (typeof actorKinds)[number];
  readonly clientId: number | null;
  readonly userId: number | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** The actor of actions that the service performs without a request. */
export const serviceActor: Actor = {
  kind: 'service',
  clientId: null,
  userId: null,
  address: null,
  requestId: null,
};

/** The actor of what the service completes for a client after its request; the ID is null in protected mode. */
export function clientActor(clientId: number | null): Actor {
  return { ...serviceActor, kind: clientId === null ? 'protected' : 'client', clientId };
}

export const operatorActor: Actor = { ...serviceActor, kind: 'operator' };

/** The kind of an audit row. A statement that changes a record inserts the audit row, too, so neither exists alone. */
export const actions = [
  'insert',
  'update',
  'state',
  'delete',
  'call.completed',
  'job.submitted',
  'job.completed',
  'job.cancelled',
  'records.read',
  'records.exported',
  'login',
  'login.failed',
  'login.refreshed',
  'login.reused',
  'logout',
  'password.forgotten',
  'invitations.issued',
  'sessions.ended',
  'console.login',
  'console.logout',
  'client.created',
  'client.changed',
  'client.rotated',
  'client.revoked',
  'client.denied',
  'operator.created',
  'operator.changed',
  'operator.reset',
  'operator.password',
  'operator.forgotten',
  'operator.second_factor',
  'operator.denied',
  'operator.refused',
  'operator.sessions_ended',
  'webhook.created',
  'webhook.changed',
  'webhook.rotated',
  'webhook.deleted',
  'webhook.disabled',
  'webhook.replayed',
  'master_key.rotated',
] as const;
export type Action = (typeof actions)[number];

export const actorKinds = ['client', 'console', 'user', 'protected', 'operator', 'service'] as const;

export interface AuditEntry {
  readonly action: Action;
  readonly principalId?: number | null;
  readonly callId?: string | null;
  /** Must not contain secrets: every client with the scope `admin` can read the audit log. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface AuditLog {
  note(actor: Actor, entry: AuditEntry): Promise<void>;
}

export interface AuditRow extends Actor {
  readonly id: number;
  readonly at: Date;
  /** The name of the client or operator that `clientId` means. */
  readonly clientName: string | null;
  readonly callId: string | null;
  readonly action: Action;
  readonly principalId: number | null;
  readonly registered: readonly number[] | null;
  readonly reset: readonly number[] | null;
  readonly deleted: readonly number[] | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  /** Links the changed values to the row; null if it changed none. */
  readonly changeId: string | null;
  /** `position` and `hash` are both null until the chain writer appends the row to the hash chain. */
  readonly position: number | null;
  readonly hash: Buffer | null;
}

/** The old and new value of a changed field. The value of `Attributes` is an object, that of other fields a text. */
export interface ChangedValue {
  /** Null for a field of the principal. */
  readonly userId: number | null;
  readonly field: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** Some changed values of a row: those of its first users. */
export interface SomeChanges {
  readonly changes: readonly ChangedValue[];
  /** True if the row has further changed values. */
  readonly more: boolean;
}

export const noChanges: SomeChanges = { changes: [], more: false };

/** A snapshot of the audit log: rows that are written meanwhile are not visible in it. */
export interface AuditSnapshot {
  readonly chain: Chain;
  /** Yields the rows of the hash chain with their hashed text, by position. */
  hashedRows(): AsyncIterable<HashedRow>;
  /** Yields every row: first the rows of the hash chain by position, then the rows without a position by ID. */
  rows(): AsyncIterable<AuditRow>;
  /** Yields all changed values of a row, user by user. */
  changes(row: AuditRow): AsyncIterable<ChangedValue>;
}

export interface AuditStore {
  /** Returns a keyset page of the rows that have a position. It has fewer rows than the limit if they are large. */
  page(listing: AuditListing): Promise<AuditPage>;
  /** Returns the changed values of rows, as far as they have room in an answer. */
  changesOf(rows: readonly AuditRow[]): Promise<ReadonlyMap<AuditRow, SomeChanges>>;
  /**
   * Returns the changed values of the row at a position: those of up to `limit` users after the user `after` (0: after
   * the principal; -1: from the beginning). Null if there is no such row.
   */
  changesAt(
    position: number,
    page: { readonly after: number; readonly limit: number },
  ): Promise<SomeChanges | null>;
  inSnapshot<Result>(work: (snapshot: AuditSnapshot) => Promise<Result>): Promise<Result>;
}

/** Selects rows. A filter that is null is not applied. */
export interface AuditListing {
  readonly order: Order;
  /** The position of the last row of the previous page; null for the first page. */
  readonly after: number | null;
  readonly limit: number;
  readonly reads: boolean;
  readonly principalId: number | null;
  /** Selects the rows that name the user, and those whose actor it is. */
  readonly userId: number | null;
  /** True selects only sign-ins and sign-outs of users, false only changes of records and of sessions. */
  readonly signIns: boolean | null;
  readonly action: Action | null;
  readonly actor: Actor['kind'] | null;
  readonly clientId: number | null;
  readonly from: Date | null;
  /** Selects the rows before this time. */
  readonly until: Date | null;
}

export interface AuditPage {
  readonly rows: readonly AuditRow[];
  /** The position after which the next page begins; null if no row has been read. */
  readonly after: number | null;
  /** True if the next page may have rows. */
  readonly more: boolean;
}

/** Reads a page of the audit log with the changed values, as far as they have room. */
export async function readAudit(
  query: AuditListing,
  store: AuditStore,
): Promise<{ rows: readonly (readonly [AuditRow, SomeChanges])[]; after: number; more: boolean }> {
  const { rows, after, more } = await store.page(query);
  const changes = await store.changesOf(rows);
  return { rows: rows.map((row) => [row, changes.get(row) ?? noChanges]), after: after ?? 0, more };
}

/** Verifies the hash chain in one snapshot. Only `expected`, an end stored elsewhere, reveals a truncated chain. */
export function verifyAuditLog(
  store: AuditStore,
  keys: ChainKeys,
  expected: ChainEnd | null = null,
): Promise<Verdict> {
  return store.inSnapshot(async (snapshot) => {
    // After the snapshot, so that the keys of all its rows are known.
    await keys.refresh();
    return verifyChain(snapshot.hashedRows(), snapshot.chain, (...row) => keys.hashRow(...row), expected);
  });
}
