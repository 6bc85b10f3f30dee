import { describe, expect, it } from 'vitest';
import { overloaded } from '../../src/lib/overloaded.ts';

const cause = new Error('busy');

describe('the refusal of a call because of overload', () => {
  it('has the same whole seconds in its message and in Retry-After, and at least one', () => {
    for (const seconds of [0.001, 0.4, 3, 4.2]) {
      const { detail, retryAfterSeconds = 0 } = overloaded(seconds, cause);
      expect(detail).toEqual({ code: 'OVERLOADED', figures: { seconds: retryAfterSeconds } });
      expect(Number.isInteger(retryAfterSeconds)).toBe(true);
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(Math.ceil(seconds));
      expect(retryAfterSeconds).toBeLessThanOrEqual(Math.ceil(2 * seconds));
    }
  });

  it('spreads the senders over the time between the estimate and twice as long', () => {
    const retries = [0, 0.25, 0.5, 0.75, 0.999].map(
      (random) => overloaded(4, cause, () => random).retryAfterSeconds,
    );
    expect(retries).toEqual([4, 5, 6, 7, 8]);
  });
});
