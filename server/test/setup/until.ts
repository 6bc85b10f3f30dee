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
  const deadline = Date.now() + waitLimitMs;
  while (!(await condition())) {
    if (Date.now() > deadline)
      throw new Error(`still waiting after ${waitLimitMs / 1000} s for ${describe()}`);
    await sleep(20);
  }
}
