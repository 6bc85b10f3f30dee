import { setTimeout as sleep } from 'node:timers/promises';

export interface Sequencer {
  stop(): Promise<void>;
}

/** Well within the second that a row may wait for its seal. */
const pauseMs = 250;

/** Has `sequence` called as long as there is more, and again a moment later. */
export function startSequencer(
  sequence: () => Promise<boolean>,
  onError: (error: unknown) => void,
): Sequencer {
  const stopping = new AbortController();
  const running = run();

  async function run(): Promise<void> {
    let failed = false;
    while (!stopping.signal.aborted) {
      try {
        const more = await sequence();
        failed = false;
        if (more) continue;
      } catch (error) {
        // A database that is away is told of once, not four times a second.
        if (!failed) onError(error);
        failed = true;
      }
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
