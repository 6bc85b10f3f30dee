import { afterEach, describe, expect, it, vi } from 'vitest';
import { SharedLookups } from '../../src/lib/shared-lookup.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Lookups that end when the test says so, with the state at that time. */
function controlled() {
  const lookups = new SharedLookups<string>();
  const begun: { end(result: string): void; fail(error: Error): void }[] = [];
  const ask = (key = 'a') =>
    lookups.run(
      key,
      () => new Promise<string>((resolve, reject) => begun.push({ end: resolve, fail: reject })),
    );
  return { begun, ask };
}

describe('concurrent lookups of one key', () => {
  it('share the lookup that begins after the present one, which is older than their request', async () => {
    const { begun, ask } = controlled();
    const first = ask();
    const later = [ask(), ask(), ask()];
    expect(begun).toHaveLength(1);
    begun[0]?.end('old');
    expect(await first).toBe('old');
    await vi.waitFor(() => expect(begun).toHaveLength(2));
    const last = ask();
    begun[1]?.end('new');
    expect(await Promise.all(later)).toEqual(['new', 'new', 'new']);
    await vi.waitFor(() => expect(begun).toHaveLength(3));
    begun[2]?.end('newest');
    expect(await last).toBe('newest');
  });

  it('are separate from those of other keys', async () => {
    const { begun, ask } = controlled();
    const asked = [ask('a'), ask('b')];
    expect(begun).toHaveLength(2);
    begun[1]?.end('b');
    expect(await asked[1]).toBe('b');
    begun[0]?.end('a');
    expect(await asked[0]).toBe('a');
  });

  it('fail only with the lookup that they share', async () => {
    const { begun, ask } = controlled();
    const first = ask();
    const second = ask();
    begun[0]?.fail(new Error('not connected'));
    await expect(first).rejects.toThrow('not connected');
    await vi.waitFor(() => expect(begun).toHaveLength(2));
    begun[1]?.end('found');
    expect(await second).toBe('found');
  });

  it('do not wait for a slow lookup', async () => {
    vi.useFakeTimers();
    const { begun, ask } = controlled();
    const slow = ask();
    const second = ask();
    await vi.advanceTimersByTimeAsync(100);
    expect(begun).toHaveLength(2);
    begun[1]?.end('second');
    expect(await second).toBe('second');
    begun[0]?.end('slow');
    expect(await slow).toBe('slow');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leave nothing behind when they have ended', async () => {
    const { begun, ask } = controlled();
    for (let n = 0; n < 3; n++) {
      const asked = ask();
      expect(begun).toHaveLength(n + 1);
      begun[n]?.end(String(n));
      expect(await asked).toBe(String(n));
      await vi.waitFor(() => undefined);
    }
  });
});
