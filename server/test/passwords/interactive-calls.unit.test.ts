import { afterEach, expect, it, vi } from 'vitest';
import { InteractiveCalls } from '../../src/passwords/interactive-calls.ts';

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

it('does not delay bulk work while no interactive call is running', async () => {
  await new InteractiveCalls().ended();
});

it('delays bulk work until the last interactive call has ended', async () => {
  vi.useFakeTimers();
  const calls = new InteractiveCalls();
  calls.begin();
  calls.begin();
  const ended = settled(calls.ended());
  calls.end();
  expect(await ended()).toBe(false);
  calls.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(await ended()).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

it('lets bulk work continue after a limited time', async () => {
  vi.useFakeTimers();
  const calls = new InteractiveCalls();
  calls.begin();
  const ended = settled(calls.ended());
  await vi.advanceTimersByTimeAsync(249);
  expect(await ended()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await ended()).toBe(true);
});
