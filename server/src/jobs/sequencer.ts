import { setTimeout as sleep } from 'node:timers/promises';
import { isPartOfOutage } from '../core/faults.ts';

export interface Sequencer {
  stop(): Promise<void>;
}

/** Well within the second that a row may wait for its seal. */
const pauseMs = 250;
const tellAgainMs = 60_000;

/** Has `sequence` called as long as there is more, and again a moment later. */
export function startSequencer(
  sequence: () => Promise<boolean>,
  onError: (error: unknown) => void,
): Sequencer {
  const stopping = new AbortController();
  const running = run();

  async function run(): Promise<void> {
    let toldAt = Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      try {
        const more = await sequence();
        if (more) continue;
      } catch (error) {
        // What lasts is told of once a minute, not four times a second.
        if (!isPartOfOutage(error) && performance.now() - toldAt > tellAgainMs) {
          onError(error);
          toldAt = performance.now();
        }
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
