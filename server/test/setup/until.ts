import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How long a test waits for a condition before it reports a hang. It is far longer than any condition takes on a
 * slow, busy machine: it ends what hangs and judges nothing else.
 */
export const waitLimitMs = 120_000;

/** Waits until the condition holds; `describe` is asked for the error message when it never does. */
export async function until(
  condition: () => Promise<boolean> | boolean,
  describe: () => string = () => `condition: ${condition}`,
): Promise<void> {
  // Not Date or performance, which stopClock stops.
  const deadline = process.hrtime.bigint() + BigInt(waitLimitMs) * 1_000_000n;
  while (!(await condition())) {
    if (process.hrtime.bigint() > deadline)
      throw new Error(`still waiting after ${waitLimitMs / 1000} s for ${describe()}`);
    await sleep(20);
  }
}
