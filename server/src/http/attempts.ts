import { createHash } from 'node:crypto';
import { Refusal } from '../core/faults.ts';

const failuresPerMinute = 600;
const windowMs = 60_000;
const addressesKept = 10_000;
/** A credential that was valid within this time is looked up even when its address has too many failures. */
const goodForMs = 3_600_000;
const credentialsKept = 10_000;

/**
 * Counts the invalid credentials of each address and refuses more than 600 a minute, because each costs a database query.
 * A flood from a shared address does not shut out the callers there whose credentials were valid lately.
 */
export class FailedAttempts {
  readonly #failures = new Map<string, { count: number; until: number }>();
  /** Digests of valid credentials, the least recently used first, with the time up to which they are remembered. */
  readonly #good = new Map<string, number>();

  /** Runs a look-up of a credential, unless the address has failed too often and the credential was not valid lately. */
  async run<Result>(address: string, credential: unknown, lookUp: () => Promise<Result>): Promise<Result> {
    const digest = createHash('sha256').update(JSON.stringify(credential)).digest('base64');
    if ((this.#good.get(digest) ?? 0) < performance.now()) this.#refuseFlood(address);
    try {
      const result = await lookUp();
      put(this.#good, digest, performance.now() + goodForMs, credentialsKept);
      return result;
    } catch (error) {
      if (error instanceof Refusal && error.fault.code === 'UNAUTHENTICATED') {
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
    else if (known !== undefined && known.count >= failuresPerMinute) {
      const seconds = Math.ceil(leftMs / 1000);
      throw new Refusal('RATE_LIMITED', {
        variant: 'calls',
        figures: { seconds },
        retryAfterSeconds: seconds,
      });
    }
  }

  #countFailure(address: string): void {
    const known = this.#failures.get(address);
    if (known) known.count++;
    else put(this.#failures, address, { count: 1, until: performance.now() + windowMs }, addressesKept);
  }
}

/** Sets a key as the newest one; beyond `most` keys the oldest is dropped. */
function put<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
