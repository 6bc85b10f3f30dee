import { afterEach, expect, it, vi } from 'vitest';
import { callMemoryMax, RecentChunks } from '../../src/jobs/recent-chunks.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('returns a kept chunk once', () => {
  const chunks = new RecentChunks();
  chunks.keep('a', [], 10);
  expect(chunks.take('a')).toEqual([]);
  expect(chunks.take('a')).toBeNull();
});

it('keeps no more than its limit, and has room again when a chunk is taken', () => {
  const chunks = new RecentChunks();
  for (const name of ['a', 'b', 'c', 'd', 'e']) chunks.keep(name, [], callMemoryMax);
  expect(chunks.take('e')).toBeNull();
  expect(chunks.take('a')).toEqual([]);
  chunks.keep('f', [], callMemoryMax);
  expect(chunks.take('f')).toEqual([]);
});

it('forgets a chunk that no worker takes, and has room again', () => {
  vi.useFakeTimers();
  const chunks = new RecentChunks();
  for (const name of ['a', 'b', 'c', 'd']) chunks.keep(name, [], callMemoryMax);
  vi.advanceTimersByTime(19_999);
  chunks.keep('e', [], callMemoryMax);
  expect(chunks.take('e')).toBeNull();
  vi.advanceTimersByTime(1);
  expect(chunks.take('a')).toBeNull();
  chunks.keep('f', [], callMemoryMax);
  expect(chunks.take('f')).toEqual([]);
});
