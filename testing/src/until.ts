import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Milliseconds that a test waits for a condition before it reports a hang. The limit is far longer than any condition
 * takes on a slow, busy machine: it only ends tests that hang.
 */
export const waitLimitMs = 120_000;

/** Waits until the condition holds; after `waitLimitMs` it throws an error with the text of `describe`. */
export async function until(
  condition: () => Promise<boolean> | boolean,
  describe: () => string = () => `condition: ${condition}`,
): Promise<void> {
  // process.hrtime, because stopClock freezes Date.now and performance.now.
  const deadline = process.hrtime.bigint() + BigInt(waitLimitMs) * 1_000_000n;
  while (!(await condition())) {
    if (process.hrtime.bigint() > deadline)
      throw new Error(`still waiting after ${waitLimitMs / 1000} s for ${describe()}`);
    await sleep(20);
  }
}
