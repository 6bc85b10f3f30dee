import { describe, expect, it } from 'vitest';
import { backoffAfter, readRetryAfter } from '../src/retry.ts';

describe('the backoff before the next attempt', () => {
  it.each([
    [1, 500],
    [2, 1000],
    [5, 8000],
    [7, 30_000],
    [50, 30_000],
  ])('after %i attempts is random, up to %i milliseconds', (attempts, most) => {
    const waits = Array.from({ length: 200 }, () => backoffAfter(attempts, null));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...waits)).toBeLessThanOrEqual(most);
    expect(Math.min(...waits)).toBeLessThan(most / 4);
    expect(Math.max(...waits)).toBeGreaterThan((most * 3) / 4);
  });

  it('is never shorter than the Retry-After of the service', () => {
    const waits = Array.from({ length: 200 }, () => backoffAfter(1, 5));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(5000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(5500);
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-01-31T08:00:00.500Z');

  it.each([
    ['7', 7],
    ['0', 0],
    ['Sat, 31 Jan 2026 08:00:10 GMT', 10],
    ['Sat, 31 Jan 2026 07:00:00 GMT', 0],
    ['soon', null],
    ['-1 seconds', null],
    [null, null],
  ])('"%s" is read as %s seconds', (header, seconds) => {
    expect(readRetryAfter(header, now)).toBe(seconds);
  });
});
