import { afterEach, expect, it, vi } from 'vitest';
import { CallLimit } from '../../src/http/call-limit.ts';

afterEach(() => {
  vi.useRealTimers();
});

function count(limit: CallLimit, caller: string) {
  let counted = { current: 0, ttl: 0 };
  limit.incr(caller, (_error, result) => {
    if (result) counted = result;
  });
  return counted;
}

it('each of several calls at the same moment has its own count', async () => {
  vi.useFakeTimers();
  const limit = new CallLimit(10);
  const counts = ['a', 'b', 'a', 'a'].map((caller) => count(limit, caller));
  await Promise.resolve();
  expect(counts.map(({ current }) => current)).toEqual([1, 1, 2, 3]);
});

it('the count of a caller starts again when its window is over', () => {
  vi.useFakeTimers();
  const limit = new CallLimit(10);
  count(limit, 'a');
  vi.advanceTimersByTime(59_999);
  expect(count(limit, 'a')).toEqual({ current: 2, ttl: 1 });
  vi.advanceTimersByTime(1);
  expect(count(limit, 'a')).toEqual({ current: 1, ttl: 60_000 });
});

it('the limit forgets the callers that were idle for the longest time, if there are too many', () => {
  vi.useFakeTimers();
  const limit = new CallLimit(10);
  count(limit, 'first');
  count(limit, 'second');
  count(limit, 'first');
  for (let n = 0; n < 4999; n++) count(limit, `other ${n}`);
  expect(count(limit, 'first').current).toBe(3);
  expect(count(limit, 'second').current).toBe(1);
});
