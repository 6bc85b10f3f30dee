import type { LoginThrottle } from '../accounts/login-throttle.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Database } from '../db/database.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { Blocklist } from '../passwords/blocklist.ts';
import type { HashPool } from '../passwords/hash-pool.ts';
import { codeIssuer } from '../passwords/password-code.ts';
import { openPasswordPolicy } from '../passwords/policy.ts';
import type { Config } from '../settings/config.ts';
import { openOperatorSignIn } from './operator-sign-in.store.ts';
import type { OperatorSignInTools } from './operator-sign-in.ts';
import { openOperatorStore } from './operators.store.ts';
import type { OperatorTools } from './operators.ts';

type DisableWebhooks = Parameters<typeof openOperatorStore>[1]['disableWebhooks'];

interface OperatorParts {
  readonly database: Database;
  readonly config: Config;
  readonly keyRing: KeyRing;
  readonly auditLog: AuditLog;
  readonly hasher: HashPool;
  readonly loginThrottle: LoginThrottle;
  /** A hash of the configured cost. */
  readonly ownHash: string;
  readonly blocklist: Blocklist;
  readonly disableWebhooks: DisableWebhooks;
  report(error: unknown): void;
}

export interface Operators {
  readonly operators: OperatorTools;
  readonly signIn: OperatorSignInTools;
}

export function openOperators(parts: OperatorParts): Operators {
  const { database, config, keyRing, blocklist, auditLog, hasher, report } = parts;
  return {
    operators: openOperatorTools(database, config, parts.disableWebhooks),
    signIn: {
      store: openOperatorSignIn(database),
      loginThrottle: parts.loginThrottle,
      auditLog,
      hasher,
      report,
      policy: openPasswordPolicy(config.PASSWORD_MIN, blocklist),
      isLeaked: blocklist.isLeaked,
      decoy: parts.ownHash,
      issuer: config.BRAND_NAME,
      throttleDigest: (text) => keyRing.throttleDigest(text),
      encryptSecret: (secret, name) => keyRing.encryptSecret(secret, name),
      decryptSecret: (encrypted, name) => keyRing.decryptSecret(encrypted, name),
    },
  };
}

/** Opens the management of operators for the service and for the command line. */
export function openOperatorTools(
  database: Database,
  config: Config,
  disableWebhooks: DisableWebhooks,
): OperatorTools {
  return {
    store: openOperatorStore(database, { idleMinutes: config.CONSOLE_IDLE_MINUTES, disableWebhooks }),
    // The pages of users do not take the codes of operators, so these have no URL.
    issueCode: codeIssuer({ days: config.INVITATION_DAYS, publicUrl: null }),
  };
}
