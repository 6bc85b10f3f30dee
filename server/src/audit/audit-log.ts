import type { Order } from '../db/paging.ts';
import {
  type Chain,
  type ChainEnd,
  type HashedRow,
  type HashRow,
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
  readonly kind: 'client' | 'console' | 'user' | 'protected' | 'operator' | 'service';
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
export type Action =
  | 'insert'
  | 'update'
  | 'state'
  | 'delete'
  | 'call.completed'
  | 'job.submitted'
  | 'job.completed'
  | 'job.cancelled'
  | 'records.read'
  | 'records.exported'
  | 'login'
  | 'login.failed'
  | 'login.refreshed'
  | 'login.reused'
  | 'logout'
  | 'sessions.ended'
  | 'console.login'
  | 'console.logout'
  | 'client.created'
  | 'client.changed'
  | 'client.rotated'
  | 'client.revoked'
  | 'client.denied'
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.rotated'
  | 'webhook.deleted'
  | 'webhook.disabled'
  | 'webhook.replayed';

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
  readonly callId: string | null;
  readonly action: Action;
  readonly principalId: number | null;
  readonly registered: readonly number[] | null;
  readonly reset: readonly number[] | null;
  readonly deleted: readonly number[] | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  /** `position` and `hash` are both null until the chain writer appends the row to the hash chain. */
  readonly position: number | null;
  readonly hash: Buffer | null;
}

/** A snapshot of the audit log: rows that are written meanwhile are not visible in it. */
export interface AuditSnapshot {
  readonly chain: Chain;
  /** Yields the rows of the hash chain with their hashed text, by position. */
  hashedRows(): AsyncIterable<HashedRow>;
  /** Yields every row: first the rows of the hash chain by position, then the rows without a position by ID. */
  rows(): AsyncIterable<AuditRow>;
}

export interface AuditStore {
  /** Returns a keyset page of the rows that have a position. It has fewer rows than the limit if they are large. */
  page(listing: AuditListing): Promise<{ readonly rows: readonly AuditRow[]; readonly more: boolean }>;
  inSnapshot<Result>(work: (snapshot: AuditSnapshot) => Promise<Result>): Promise<Result>;
}

export interface AuditListing {
  readonly order: Order;
  /** The position of the last row of the previous page; null for the first page. */
  readonly after: number | null;
  readonly limit: number;
  readonly principalId: number | null;
  readonly reads: boolean;
}

/** Reads a page of the audit log. If `more` is true, another page follows, which begins after the position `after`. */
export async function readAudit(
  query: AuditListing,
  store: AuditStore,
): Promise<{ rows: readonly AuditRow[]; after: number; more: boolean }> {
  const { rows, more } = await store.page(query);
  return { rows, after: rows.at(-1)?.position ?? query.after ?? 0, more };
}

/** Verifies the hash chain in one snapshot. Only `expected`, an end stored elsewhere, reveals a truncated chain. */
export function verifyAuditLog(
  store: AuditStore,
  hashRow: HashRow,
  expected: ChainEnd | null = null,
): Promise<Verdict> {
  return store.inSnapshot((snapshot) =>
    verifyChain(snapshot.hashedRows(), snapshot.chain, hashRow, expected),
  );
}
