import type { Actor } from '../audit/audit-log.ts';

export interface Account {
  readonly userId: number;
  readonly principalId: number;
  readonly username: string;
  readonly denomination: string | null;
  readonly surname: string | null;
  readonly name: string | null;
}

export interface StoredAccount extends Account {
  readonly passwordHash: string;
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

export interface SessionStore {
  findAccount(usernameKey: string): Promise<StoredAccount | null>;
  findAccountById(userId: number): Promise<StoredAccount | null>;
  /**
   * Starts a session, stores `newHash` if it is not null, and writes the audit row of the login. Returns the expiry of
   * the access token, or null if the password hash or the state has changed since `account` was read.
   */
  begin(
    account: StoredAccount,
    session: NewSession,
    newHash: string | null,
    actor: Actor,
  ): Promise<Date | null>;
  /**
   * Exchanges a refresh token for the next token pair; returns null if it is not valid. A refresh token that is used a
   * second time ends its session family: all sessions that descend from the same sign-in.
   */
  exchange(
    refreshDigest: Buffer,
    next: NewSession,
    actor: Actor,
  ): Promise<{ account: Account; expiresAt: Date } | null>;
  end(tokenDigest: Buffer, actor: Actor): Promise<void>;
}
