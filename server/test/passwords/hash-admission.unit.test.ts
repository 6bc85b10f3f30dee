import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/lib/field-errors.ts';
import { FairQueue } from '../../src/passwords/fair-queue.ts';
import { HashAdmission } from '../../src/passwords/hash-admission.ts';
import { costlyShare } from '../../src/passwords/hash-scheduler.ts';

/** Returns an admission that computes one hash per second, so that seconds are weights. */
function newAdmission({ maxWaitSeconds = 1000, capacity = (): number => 1 } = {}): HashAdmission {
  return new HashAdmission({ maxWaitSeconds, capacity });
}

const single = { lane: 'interactive', share: 'a', weight: 1 } as const;
const bulk = { lane: 'bulk', share: 'a', weight: 2 } as const;

/** Admits the passwords as often as possible, at most 1000 times, and returns how often. */
function admitAll(admission: HashAdmission, place: Parameters<HashAdmission['admit']>[0]): number {
  for (let count = 0; count < 1000; count++) {
    try {
      admission.admit(place);
    } catch (error) {
      expect((error as ApiError).detail.code).toBe('OVERLOADED');
      return count;
    }
  }
  return 1000;
}

describe('the work before a new call', () => {
  it('is everything of its own share, and of another share as much as the call itself has', () => {
    const admission = newAdmission();
    admission.add({ ...bulk, share: 'big', weight: 5000 });
    expect(admission.secondsBefore({ ...bulk, share: 'small', weight: 10 })).toBe(10);
    expect(admission.secondsBefore({ ...bulk, share: 'big', weight: 10 })).toBe(5000);
    expect(admission.secondsBefore({ ...single, share: 'big' })).toBe(0);
  });

  it('includes all interactive passwords for bulk work, until they are removed', () => {
    const admission = newAdmission();
    for (const share of ['a', 'b', 'c']) admission.add({ ...single, share, weight: 5 });
    expect(admission.secondsBefore(bulk)).toBe(15);
    expect(admission.secondsBefore(single)).toBe(5 + 5 + 5);
    for (const share of ['a', 'b', 'c']) admission.remove({ ...single, share, weight: 5 });
    expect([admission.secondsBefore(bulk), admission.secondsBefore(single)]).toEqual([0, 0]);
  });

  it('includes of each other source as much as the source of the call itself has', () => {
    const admission = newAdmission();
    const login = { lane: 'interactive', share: 'logins', weight: 1 } as const;
    admission.add({ ...login, source: 'flood', weight: 4 });
    admission.add({ ...login, source: 'late' });
    admission.add({ ...single, share: 'erp', weight: 2 });
    expect(admission.secondsBefore({ ...login, source: 'new' })).toBe(2 + 2);
    expect(admission.secondsBefore({ ...login, source: 'flood' })).toBe(5 + 2);
    expect(admission.secondsBefore({ ...single, share: 'other' })).toBe(2);
  });

  it('agrees with the order of the queue, exact to one task per share', () => {
    const waiting = fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 30 })), { maxLength: 4 });
    fc.assert(
      fc.property(waiting, fc.integer({ min: 1, max: 30 }), (calls, count) => {
        const admission = newAdmission();
        const queue = new FairQueue<{ share: string; weight: number; isNew: boolean }>(({ share }) => share);
        const push = (share: string, weight: number, isNew = false) => {
          for (let n = 0; n < weight; n++) queue.push({ share, weight: 1, isNew });
        };
        for (const [share, weight] of calls) {
          admission.add({ lane: 'bulk', share: `s${share}`, weight });
          push(`s${share}`, weight);
        }
        const estimated = admission.secondsBefore({ lane: 'bulk', share: 's0', weight: count });
        push('s0', count, true);
        let before = 0;
        for (let left = count; left > 0; ) {
          if (queue.shift()?.isNew) left--;
          else before++;
        }
        expect(before).toBeLessThanOrEqual(estimated);
        expect(before).toBeGreaterThanOrEqual(estimated - new Set(calls.map(([share]) => share)).size);
      }),
    );
  });
});

describe('the admission', () => {
  it('refuses a call with a single password that would wait for 0.9 times the limit', () => {
    // 50 hashes per second.
    expect(admitAll(newAdmission({ maxWaitSeconds: 2, capacity: () => 50 }), single)).toBe(91);
  });

  it('lets calls with several passwords wait four times as long, but no verification', () => {
    const options = { maxWaitSeconds: 2, capacity: () => 50 };
    expect(admitAll(newAdmission(options), bulk)).toBe((4 * 90) / 2 + 1);
    expect(admitAll(newAdmission(options), { ...bulk, share: costlyShare, source: 'x' })).toBe(90 / 2 + 1);
  });

  it('adapts to the time that a hash takes under load', () => {
    let perSecond = 50;
    const admission = newAdmission({ maxWaitSeconds: 5, capacity: () => perSecond });
    admission.add({ ...single, weight: 200 });
    expect(() => admission.admit(single)).not.toThrow();
    perSecond = 40;
    expect(() => admission.admit(single)).toThrow(ApiError);
  });

  it('never refuses a call before which no other waits, however large it is or however slow the machine', () => {
    const admission = newAdmission({ maxWaitSeconds: 1, capacity: () => 0.01 });
    expect(() => admission.admit({ ...bulk, weight: 100_000 })).not.toThrow();
  });

  it('never refuses a call without a password', () => {
    const admission = newAdmission({ maxWaitSeconds: 1 });
    admission.add({ ...bulk, weight: 1000 });
    expect(() => admission.admit({ ...bulk, weight: 0 })).not.toThrow();
    expect(() => admission.admit(bulk)).toThrow(ApiError);
  });

  it('does not refuse the calls of another share', () => {
    const admission = newAdmission({ maxWaitSeconds: 2, capacity: () => 50 });
    admitAll(admission, single);
    expect(admitAll(admission, { ...single, share: 'b' })).toBeGreaterThan(40);
  });
});

describe('bulk work', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Returns a function that resolves to true if the promise is settled. */
  function settled(promise: Promise<unknown>): () => Promise<boolean> {
    let isSettled = false;
    void promise.then(() => {
      isSettled = true;
    });
    return async () => {
      await Promise.resolve();
      return isSettled;
    };
  }

  it('is not delayed while no interactive call is running', async () => {
    const admission = newAdmission();
    admission.add(bulk);
    await admission.waitForInteractive();
  });

  it('is delayed until the last interactive call has ended', async () => {
    vi.useFakeTimers();
    const admission = newAdmission();
    admission.add(single);
    admission.add({ ...single, share: 'b', weight: 0.015625 });
    const ended = settled(admission.waitForInteractive());
    admission.remove(single);
    expect(await ended()).toBe(false);
    admission.remove({ ...single, share: 'b', weight: 0.015625 });
    await vi.advanceTimersByTimeAsync(0);
    expect(await ended()).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('continues after a limited time', async () => {
    vi.useFakeTimers();
    const admission = newAdmission();
    admission.add(single);
    const ended = settled(admission.waitForInteractive());
    await vi.advanceTimersByTimeAsync(249);
    expect(await ended()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ended()).toBe(true);
  });
});
