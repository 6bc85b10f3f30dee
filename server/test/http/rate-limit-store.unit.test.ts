import { afterEach, expect, it, vi } from 'vitest';
import { RateLimitStore } from '../../src/http/rate-limit-store.ts';

afterEach(() => {
  vi.useRealTimers();
});

function count(store: RateLimitStore, caller: string) {
  let counted = { current: 0, ttl: 0 };
  store.incr(
    caller,
    (_error, result) => {
      if (result) counted = result;
    },
    60_000,
  );
  return counted;
}

it('gives each of several calls at the same moment its own count', async () => {
  vi.useFakeTimers();
  const store = new RateLimitStore();
  const counts = ['a', 'b', 'a', 'a'].map((caller) => count(store, caller));
  await Promise.resolve();
  expect(counts.map(({ current }) => current)).toEqual([1, 1, 2, 3]);
});

it('starts a new window when the last one is over', () => {
  vi.useFakeTimers();
  const store = new RateLimitStore();
  count(store, 'a');
  vi.advanceTimersByTime(59_999);
  expect(count(store, 'a')).toEqual({ current: 2, ttl: 1 });
  vi.advanceTimersByTime(1);
  expect(count(store, 'a')).toEqual({ current: 1, ttl: 60_000 });
});

it('forgets the callers that were idle for the longest time, if there are too many', () => {
  vi.useFakeTimers();
  const store = new RateLimitStore();
  count(store, 'first');
  count(store, 'second');
  count(store, 'first');
  for (let n = 0; n < 4999; n++) count(store, `other ${n}`);
  expect(count(store, 'first').current).toBe(3);
  expect(count(store, 'second').current).toBe(1);
});
