import { createHash } from 'node:crypto';
import type { Actor, AuditLog } from '../audit/audit-log.ts';
import { rateLimited } from '../http/call-limit.ts';
import { ApiError } from '../lib/field-errors.ts';
import type { DeniedClient, OperatorAtConsole } from './access.ts';
import type { Permission } from './permissions.ts';

const failuresPerMinute = 600;
const failuresWindowMs = 60_000;
const maxAddresses = 10_000;
/** A credential that was valid within this time is looked up even if its address has too many failures. */
const goodForMs = 3_600_000;
const maxCredentials = 10_000;

/**
 * Counts the invalid credentials of each address and refuses more than 600 a minute, because each costs a database
 * query. A flood from a shared address does not block callers there whose credentials were valid within the last hour.
 */
export class AuthThrottle {
  readonly #failures = new Map<string, { count: number; until: number }>();
  /** Maps digests of valid credentials, least recently used first, to their expiry on the `performance.now()` clock. */
  readonly #good = new Map<string, number>();

  /**
   * Runs the lookup of a credential. Throws `RATE_LIMITED` instead if the address has failed too often and the
   * credential was not valid within `goodForMs`. A credential is invalid if `lookUp` throws `UNAUTHENTICATED`, or
   * returns what `isValid` rejects.
   */
  async run<Result>(
    address: string,
    credential: unknown,
    lookUp: () => Promise<Result>,
    isValid: (result: Result) => boolean = () => true,
  ): Promise<Result> {
    const digest = createHash('sha256').update(JSON.stringify(credential)).digest('base64');
    if ((this.#good.get(digest) ?? 0) < performance.now()) this.#refuseFlood(address);
    try {
      const result = await lookUp();
      if (isValid(result)) put(this.#good, digest, performance.now() + goodForMs, maxCredentials);
      else this.#countFailure(address);
      return result;
    } catch (error) {
      if (error instanceof ApiError && error.detail.code === 'UNAUTHENTICATED') {
        this.#good.delete(digest);
        this.#countFailure(address);
      }
      throw error;
    }
  }

  #refuseFlood(address: string): void {
    const known = this.#failures.get(address);
    const leftMs = known === undefined ? 0 : known.until - performance.now();
    if (leftMs <= 0) this.#failures.delete(address);
    else if (known !== undefined && known.count >= failuresPerMinute)
      throw rateLimited('calls', Math.ceil(leftMs / 1000));
  }

  #countFailure(address: string): void {
    const known = this.#failures.get(address);
    if (known) known.count++;
    else
      put(this.#failures, address, { count: 1, until: performance.now() + failuresWindowMs }, maxAddresses);
  }
}

/** Sets a key as the newest of the map, and drops the oldest key if there are more than `most`. */
function put<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

const deniedWindowMs = 3_600_000;
const maxCounters = 10_000;
/** Maximum number of audit rows for one client within an hour, over all addresses. */
const rowsPerClient = 100;

interface Count {
  count: number;
  readonly since: number;
}

/**
 * Writes an audit row when an existing public key comes with a wrong secret or from a forbidden address. A flood must
 * not fill the audit log: of the attempts for one client from one address within an hour, it writes the 1st, 10th,
 * 100th and so on, and at most 100 rows for one client from all addresses; the last of these has `last: true`.
 */
export class DeniedClients {
  readonly #auditLog: AuditLog;
  readonly #attempts = new Map<string, Count>();
  readonly #rows = new Map<string, Count>();

  constructor(auditLog: AuditLog) {
    this.#auditLog = auditLog;
  }

  async record(
    { client: { id, publicKey }, reason: why }: DeniedClient,
    source: string,
    actor: Actor,
  ): Promise<void> {
    const attempts = countOne(this.#attempts, `${id} ${source}`);
    if (!Number.isInteger(Math.log10(attempts))) return;
    const rows = countOne(this.#rows, String(id));
    if (rows > rowsPerClient) return;
    const last = rows === rowsPerClient && { last: true };
    const details = { client: id, publicKey, why, attempts, ...last };
    await this.#auditLog.note(actor, { action: 'client.denied', details });
  }
}

/** Writes an audit row when an operator is refused: of the same within an hour, the 1st, 10th, 100th and so on. */
export class RefusedOperators {
  readonly #auditLog: AuditLog;
  readonly #refusals = new Map<string, Count>();

  constructor(auditLog: AuditLog) {
    this.#auditLog = auditLog;
  }

  async record({ id, role }: OperatorAtConsole, permission: Permission, actor: Actor): Promise<void> {
    const attempts = countOne(this.#refusals, `${id} ${permission}`);
    if (!Number.isInteger(Math.log10(attempts))) return;
    const details = { operator: id, role, permission, attempts };
    await this.#auditLog.note(actor, { action: 'operator.refused', details });
  }
}

/** Increments the hourly count of a key and returns it. Drops the oldest key beyond `maxCounters`. */
function countOne(counts: Map<string, Count>, key: string): number {
  const known = counts.get(key);
  const now = performance.now();
  const current = known && now - known.since < deniedWindowMs ? known : { count: 0, since: now };
  current.count++;
  put(counts, key, current, maxCounters);
  return current.count;
}
