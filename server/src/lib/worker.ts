import { setTimeout as sleep } from 'node:timers/promises';
import { isPartOfOutage } from './field-errors.ts';

export interface WorkerOptions {
  /** Does a part of the work. Returns true if more may be left. */
  run(): Promise<boolean>;
  /** Pause after `run` has returned false or failed, in milliseconds. */
  readonly pauseMs: number;
  /** Called for each failed run. `isNew` is false for failures within a minute of one that was new, or in an outage. */
  onError(error: unknown, options: { readonly isNew: boolean }): void;
}

export interface Worker {
  /** Ends the pause. */
  wake(): void;
  stop(): Promise<void>;
}

const errorIntervalMs = 60_000;

/** Calls `run` again and again until the worker is stopped. */
export function startWorker({ run, pauseMs, onError }: WorkerOptions): Worker {
  let pause = new AbortController();
  let stopping = false;
  const running = repeat();

  async function repeat(): Promise<void> {
    let reportedAt = Number.NEGATIVE_INFINITY;
    while (!stopping) {
      // Created before the run, so that a call of `wake` during the run ends the pause after it.
      pause = new AbortController();
      try {
        const more = await run();
        if (more) continue;
      } catch (error) {
        const isNew = !isPartOfOutage(error) && performance.now() - reportedAt > errorIntervalMs;
        if (isNew) reportedAt = performance.now();
        onError(error, { isNew });
      }
      await sleep(pauseMs, undefined, { signal: pause.signal }).catch(() => undefined);
    }
  }

  return {
    wake: () => pause.abort(),
    async stop() {
      stopping = true;
      pause.abort();
      await running;
    },
  };
}
