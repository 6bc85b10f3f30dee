import { Refusal } from '../core/faults.ts';

const perMinute = 600;
const windowMs = 60_000;
const addressesKept = 10_000;

/** Failed attempts to be let in, by address: each costs a look into the store, which a flood would take from others. */
export class FailedAttempts {
  readonly #byAddress = new Map<string, { count: number; until: number }>();

  refuseFlood(address: string): void {
    const known = this.#byAddress.get(address);
    const left = known === undefined ? 0 : known.until - performance.now();
    if (left <= 0) this.#byAddress.delete(address);
    else if (known !== undefined && known.count >= perMinute) {
      const seconds = Math.ceil(left / 1000);
      throw new Refusal('RATE_LIMITED', {
        variant: 'calls',
        figures: { seconds },
        retryAfterSeconds: seconds,
      });
    }
  }

  note(address: string): void {
    const known = this.#byAddress.get(address);
    if (known) known.count++;
    else this.#byAddress.set(address, { count: 1, until: performance.now() + windowMs });
    // The oldest goes: a map keeps the order in which its keys came.
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > addressesKept && oldest !== undefined) this.#byAddress.delete(oldest);
  }
}
