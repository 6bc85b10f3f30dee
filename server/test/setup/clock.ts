import { onTestFinished, vi } from 'vitest';

/**
 * Freezes Date.now and performance.now of this process until the test ends; timers keep running. The window of a rate
 * limit then lasts as long as the test needs for its calls.
 */
export function stopClock(): void {
  const performanceNow = vi.spyOn(performance, 'now').mockReturnValue(Math.floor(performance.now()));
  const dateNow = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
  onTestFinished(() => {
    performanceNow.mockRestore();
    dateNow.mockRestore();
  });
}
