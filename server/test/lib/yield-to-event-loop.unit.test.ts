import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TimeSlice } from '../../src/lib/yield-to-event-loop.ts';

/** Longer than a time slice. */
const longMs = 3;

function work(): void {
  const end = performance.now() + longMs;
  while (performance.now() < end);
}

describe('a time slice', () => {
  it('is over when its task has worked for longer than a millisecond', () => {
    const slice = new TimeSlice();
    work();
    expect(slice.isOver).toBe(true);
  });

  it('starts anew when its task has awaited a timer or an answer', async () => {
    const slice = new TimeSlice();
    work();
    await sleep(longMs);
    expect(slice.isOver).toBe(false);
  });

  it('is not extended by awaiting a promise that is resolved already', async () => {
    const slice = new TimeSlice();
    work();
    await Promise.resolve();
    expect(slice.isOver).toBe(true);
  });

  it('is given to a short task in each turn of the event loop, however many long tasks wait', async () => {
    const longTasks = 20;
    let slicesOfLong = 0;
    let isEnded = false;
    const running = Array.from({ length: longTasks }, async () => {
      const slice = new TimeSlice();
      for (; !isEnded; slicesOfLong++) await slice.yield();
    });
    while (slicesOfLong < longTasks * 20) await sleep(1);
    const before = slicesOfLong;
    const short = new TimeSlice();
    const slicesOfShort = 5;
    for (let n = 0; n < slicesOfShort; n++) await short.yield();
    const during = slicesOfLong - before;
    isEnded = true;
    await Promise.all(running);
    expect(during).toBeLessThanOrEqual(slicesOfShort + 1);
  });
});
