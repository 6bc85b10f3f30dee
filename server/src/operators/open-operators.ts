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
import type { OperatorMailer, OperatorTools } from './operators.ts';

type DisableWebhooks = Parameters<typeof openOperatorStore>[1]['disableWebhooks'];

/** Hours for which the code in a mail about a forgotten password is valid. */
const forgottenHours = 1;

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
  /** Null if no mail server is configured. */
  readonly mailer: OperatorMailer | null;
  report(error: unknown): void;
}

export interface Operators {
  readonly operators: OperatorTools;
  readonly signIn: OperatorSignInTools;
}

export function openOperators(parts: OperatorParts): Operators {
  const { database, config, keyRing, blocklist, auditLog, hasher, mailer, report } = parts;
  return {
    operators: openOperatorTools(database, config, parts.disableWebhooks, mailer),
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
      mailer,
      issueCode: codeIssuer({ days: forgottenHours / 24, ...pageOf(config) }),
      throttleDigest: (text) => keyRing.throttleDigest(text),
      async encryptSecret(connection, secret, name) {
        await keyRing.lock(connection);
        return keyRing.encryptSecret(secret, name);
      },
      decryptSecret: (encrypted, name) => keyRing.decryptSecret(encrypted, name),
    },
  };
}

/** Opens the management of operators for the service and for the command line. */
export function openOperatorTools(
  database: Database,
  config: Config,
  disableWebhooks: DisableWebhooks,
  mailer: OperatorMailer | null = null,
): OperatorTools {
  return {
    store: openOperatorStore(database, { idleMinutes: config.CONSOLE_IDLE_MINUTES, disableWebhooks }),
    issueCode: codeIssuer({ days: config.INVITATION_DAYS, ...pageOf(config) }),
    mailer,
  };
}

/** The page of the console that takes the codes of operators. */
function pageOf({ PUBLIC_URL }: Config) {
  return { publicUrl: PUBLIC_URL, page: 'console/password' };
}
