import type { Author } from '../journal/journal.ts';

/** What a sign-in has to know of a user. */
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
  /** Whether the user and its principal are active. */
  readonly active: boolean;
}

/** A pair of tokens, as far as the store may know them. */
export interface NewSession {
  readonly tokenDigest: Buffer;
  readonly refreshDigest: Buffer;
}

/** How long tokens live. */
export interface SessionLimits {
  readonly tokenMinutes: number;
  readonly refreshDays: number;
}

export interface SessionStore {
  findAccount(usernameKey: string): Promise<StoredAccount | null>;
  findAccountById(userId: number): Promise<StoredAccount | null>;
  /**
   * Begins a session, unless the password or the state was changed meanwhile; notes the login, and takes the new hash
   * where there is one. When the token expires, or null where nothing was begun.
   */
  begin(
    account: StoredAccount,
    session: NewSession,
    newHash: string | null,
    author: Author,
  ): Promise<Date | null>;
  /** Exchanges a refresh token. One that was spent before ends everything that came of its sign-in. */
  exchange(
    refreshDigest: Buffer,
    next: NewSession,
    author: Author,
  ): Promise<{ account: Account; expiresAt: Date } | null>;
  /** Ends everything that came of the sign-in of an access token. */
  end(tokenDigest: Buffer, author: Author): Promise<void>;
}
