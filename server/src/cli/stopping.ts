import type { Logger } from 'pino';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** npm passes on a signal that the whole group has had already; so soon, it is the same one. */
const echoMs = 1000;

export interface StopOptions {
  readonly log: Logger;
  /** How long the calls at work may take. */
  readonly seconds: number;
  stop(): Promise<void>;
}

/**
 * Stops in order on the first signal, and on a fault that nobody caught. Whoever cannot wait sends a second signal.
 * What is returned takes the hands off the signals again.
 */
export function stopInOrder({ log, seconds, stop }: StopOptions): () => void {
  let since: number | undefined;

  async function begin(exitCode: number): Promise<void> {
    since = performance.now();
    const timer = setTimeout(() => {
      log.fatal(`the calls at work were not finished within ${seconds} seconds and are cut off`);
      process.exit(1);
    }, seconds * 1000);
    try {
      await stop();
      log.info('stopped');
      process.exitCode = exitCode;
    } catch (err) {
      log.fatal({ err }, 'the stop failed');
      process.exitCode = 1;
    }
    clearTimeout(timer);
    process.exit();
  }

  function onSignal(signal: NodeJS.Signals): void {
    if (since === undefined) {
      log.info({ signal }, 'stopping: finishing the calls at work');
      void begin(0);
    } else if (performance.now() - since > echoMs) {
      log.fatal({ signal }, 'a second signal: the calls at work are cut off');
      process.exit(1);
    }
  }

  function onFault(err: unknown): void {
    log.fatal({ err }, 'stopping after a fault');
    if (since === undefined) void begin(1);
  }

  for (const signal of signals) process.on(signal, onSignal);
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
    process.off('uncaughtException', onFault);
    process.off('unhandledRejection', onFault);
  };
}
