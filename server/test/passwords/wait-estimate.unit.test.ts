import { describe, expect, it } from 'vitest';
import { isTooLate, MeanDuration, secondsUntilHashed } from '../../src/passwords/wait-estimate.ts';

/** Two threads that take 40 ms for each hash, both busy: 50 hashes per second. */
const busy = { running: 2, own: 1, threads: 2, hashSeconds: 0.04 };

describe('the estimated end of a call', () => {
  it('contains the queue, the running work and the work of the call itself', () => {
    expect(secondsUntilHashed({ ...busy, queued: 100 })).toBeCloseTo(2 + 0.04 + 0.04, 10);
    expect(secondsUntilHashed({ ...busy, queued: 0 })).toBeCloseTo(0.04 + 0.04, 10);
    expect(secondsUntilHashed({ ...busy, queued: 0, running: 0, own: 8 })).toBeCloseTo(8 * 0.04, 10);
  });

  it('counts the work of the call itself on one thread, and the work before it on all', () => {
    const work = { queued: 100, running: 10, own: 5, hashSeconds: 0.1 };
    expect(secondsUntilHashed({ ...work, threads: 1 })).toBeCloseTo(11.5, 10);
    expect(secondsUntilHashed({ ...work, threads: 10 })).toBeCloseTo(1.6, 10);
  });

  it('grows with the time that a hash takes under load', () => {
    const queued = 200;
    expect(isTooLate({ ...busy, queued }, 5)).toBe(false);
    expect(isTooLate({ ...busy, queued, hashSeconds: 0.05 }, 5)).toBe(true);
  });
});

describe('a call', () => {
  it('is too late if less than a tenth of the limit is left for its other work', () => {
    const latest = (limit: number) => {
      for (let queued = 1; ; queued++) if (isTooLate({ ...busy, queued }, limit)) return queued - 1;
    };
    // 4.5 s at 50 hashes per second, without the running ones and its own, which takes 40 ms on one thread.
    expect(latest(5)).toBe(225 - 2 - 2);
    expect(latest(1)).toBe(45 - 2 - 2);
  });

  it('is too late earlier if it has already waited', () => {
    const ahead = { ...busy, queued: 150 };
    expect(isTooLate(ahead, 5)).toBe(false);
    expect(isTooLate(ahead, 5, 1.3)).toBe(false);
    expect(isTooLate(ahead, 5, 1.5)).toBe(true);
  });

  it('is not too late if no other is queued, even if a hash takes longer than the limit', () => {
    const slow = { running: 1, own: 1, threads: 1, hashSeconds: 60 };
    expect(isTooLate({ ...slow, queued: 0 }, 1)).toBe(false);
    expect(isTooLate({ ...slow, queued: 1 }, 1)).toBe(true);
  });
});

describe('the mean duration', () => {
  it('approaches new durations without overshooting', () => {
    const mean = new MeanDuration(0.02);
    for (const seconds of [0.5, 0.001]) {
      for (let n = 0; n < 200; n++) {
        const before = mean.seconds;
        mean.note(seconds);
        expect(Math.sign(seconds - mean.seconds)).toBe(Math.sign(seconds - before));
        expect(Math.abs(seconds - mean.seconds)).toBeLessThan(Math.abs(seconds - before));
      }
      expect(mean.seconds).toBeCloseTo(seconds, 3);
    }
  });
});
