import type { Actor } from '../audit/audit-log.ts';
import type { CallerTags } from '../db/visibility.ts';
import type { UserFields } from '../records/fields/fields.ts';

/** A user with its descriptive fields, and the names of its principal. */
export interface Account extends UserFields {
  readonly userId: number;
  readonly principalId: number;
  readonly username: string;
  readonly denomination: string | null;
  readonly surname: string | null;
  readonly name: string | null;
  /** True if the user can only change its password until it has done so. */
  readonly mustChange: boolean;
}

export interface StoredAccount extends Account {
  /** Null if the user is invited. */
  readonly passwordHash: string | null;
  /** True if both the user and its principal are active. */
  readonly active: boolean;
}

/** The digests of a new token pair. The store never receives the tokens themselves. */
export interface NewSession {
  readonly tokenDigest: Buffer;
  readonly refreshDigest: Buffer;
}

export interface SessionLimits {
  readonly tokenMinutes: number;
  readonly refreshDays: number;
}

/** A sign-in of a user with the token pairs that followed it by refresh. */
export interface UserSession {
  /** The ID of the session family. It is not a token. */
  readonly id: string;
  /** The time of the oldest token pair that is stored: of the sign-in, unless that pair has expired since. */
  readonly signedInAt: Date;
  /** The time of the newest token pair. */
  readonly refreshedAt: Date;
  readonly expiresAt: Date;
  /** True for the session of the access token that `list` gets. */
  readonly current: boolean;
}

/** The sessions of a user as the user itself or an administrator sees and ends them. */
/** A user that the caller may not see counts as missing. */
export interface SessionOwner {
  readonly userId: number;
  readonly callerTags: CallerTags;
}

export interface UserSessionStore {
  /** Returns a page of the sessions that are valid, newest first; null if there is no such user. */
  list(
    user: SessionOwner,
    page: { readonly page: number; readonly pageSize: number },
    tokenDigest?: Buffer | null,
  ): Promise<{ readonly sessions: readonly UserSession[]; readonly totalCount: number } | null>;
  /** Ends all sessions and returns how many were valid; null if there is no such user. */
  endAll(user: SessionOwner, actor: Actor): Promise<number | null>;
  /** Ends one session; returns false if the user has no such session. */
  endOne(user: SessionOwner, sessionId: string, actor: Actor): Promise<boolean>;
}

export interface SessionStore {
  findAccount(usernameKey: string): Promise<StoredAccount | null>;
  findAccountById(userId: number): Promise<StoredAccount | null>;
  /**
   * Starts a session, stores `newHash` if it is not null, and writes the audit row of the login. Returns the expiry of
   * the access token, or null if the password hash or the state has changed since `account` was read.
   */
  begin(
    account: Pick<StoredAccount, 'userId' | 'passwordHash'>,
    session: NewSession,
    newHash: string | null,
    actor: Actor,
  ): Promise<Date | null>;
  /**
   * Exchanges a refresh token for the next token pair; returns null if it is not valid. Because the answer may be lost,
   * the token can be exchanged once more within seconds, which replaces that pair. Any other use of a refresh token that
   * was exchanged ends its session family: all sessions that descend from the same sign-in.
   */
  exchange(
    refreshDigest: Buffer,
    next: NewSession,
    actor: Actor,
  ): Promise<{ account: Account; expiresAt: Date } | null>;
  end(tokenDigest: Buffer, actor: Actor): Promise<void>;
}
