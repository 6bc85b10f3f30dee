import type { AuditLog } from '../audit/audit-log.ts';
import type { Database } from '../db/database.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { HashPool } from '../passwords/hash-pool.ts';
import { needsRehash } from '../passwords/hash-work.ts';
import { defaultOptions, type Operations } from '../records/check/operation.ts';
import type { RecordWriter } from '../records/write/record-writer.ts';
import type { Config } from '../settings/config.ts';
import { countHashProfiles } from './decoy-hashes.store.ts';
import { DecoyHashes } from './decoy-hashes.ts';
import { openLoginThrottle } from './login-throttle.store.ts';
import type { ResetTools } from './own-password.ts';
import { openPasswords } from './password.store.ts';
import type { PasswordTools } from './password.ts';
import type { UserSessionStore } from './session.ts';
import { openSessions, openUserSessions } from './sessions.store.ts';
import type { SignInTools } from './sign-in.ts';

export interface Accounts {
  readonly signIn: SignInTools;
  readonly userSessions: UserSessionStore;
  readonly password: PasswordTools & ResetTools;
}

interface AccountParts {
  readonly database: Database;
  readonly config: Config;
  readonly keyRing: KeyRing;
  readonly auditLog: AuditLog;
  readonly hasher: HashPool;
  /** A hash of the configured cost. */
  readonly ownHash: string;
  readonly operations: Pick<Operations, 'update'>;
  newWriter(): RecordWriter;
  onCountError(error: unknown): void;
  onThrottleError(error: unknown): void;
}

export async function openAccounts(parts: AccountParts): Promise<Accounts> {
  const { database, config, keyRing, auditLog, hasher } = parts;
  const cost = { memoryKib: config.HASH_MEMORY_KIB, passes: config.HASH_PASSES };
  const hashing = {
    throttleDigest: (text: string) => keyRing.throttleDigest(text),
    needsRehash: (hash: string) => needsRehash(hash, cost),
  };
  const decoyHashes = new DecoyHashes({
    ...hashing,
    ownHash: parts.ownHash,
    countProfiles: () => countHashProfiles(database),
    onError: parts.onCountError,
  });
  await decoyHashes.count();
  const signIn = {
    ...hashing,
    sessions: openSessions(database, {
      tokenMinutes: config.TOKEN_MINUTES,
      refreshDays: config.SESSION_DAYS,
    }),
    loginThrottle: openLoginThrottle(database),
    auditLog,
    hasher,
    decoyFor: (username: string) => decoyHashes.hashFor(username),
    report: parts.onThrottleError,
  };
  const password = {
    ...signIn,
    passwords: openPasswords(database),
    operation: parts.operations.update(defaultOptions),
    history: config.PASSWORD_HISTORY,
    newWriter: parts.newWriter,
  };
  return { signIn, userSessions: openUserSessions(database), password };
}
