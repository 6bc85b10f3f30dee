import { Command } from 'commander';
import type { Logger } from 'pino';
import { openLog } from '../../lib/log.ts';
import { banner } from '../output/banner.ts';
import { tell } from '../output/output.ts';
import { configFor, type SettingsOptions } from '../settings.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('start the service')
    .addHelpText('after', '\nExample:\n  ANAGRAFE_PORT=9000 anagrafe serve')
    .action(serve);
}

async function serve(options: SettingsOptions): Promise<void> {
  const config = configFor(options);
  const log = openLog(config.LOG_LEVEL);
  // The dynamic import halves the start time of every other command.
  const { startService } = await import('../../main.ts');
  const starting = startService(config, log);
  // The handlers are installed during the start, so that a signal does not leave a PostgreSQL running.
  const removeHandlers = handleShutdown({
    log,
    seconds: config.STOP_SECONDS,
    stop: async () => (await starting.catch(() => undefined))?.stop(),
  });
  const service = await starting.catch((error) => {
    removeHandlers();
    throw error;
  });
  tell(...banner(service, config));
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** A second signal within this time is a duplicate: npm forwards signals that the process group already received. */
const duplicateMs = 1000;
/** Time limit for running requests after an uncaught error. */
const uncaughtSeconds = 5;

interface StopOptions {
  readonly log: Logger;
  /** Time limit for running requests. */
  readonly seconds: number;
  stop(): Promise<void>;
}

/**
 * Shuts down gracefully on the first signal and on an uncaught error. A second signal ends the process at once.
 * Returns a function that removes the handlers.
 */
function handleShutdown({ log, seconds, stop }: StopOptions): () => void {
  let stoppingSince: number | undefined;

  function exitAfter(limit: number): void {
    setTimeout(() => {
      log.fatal(`running requests did not finish within ${limit} seconds and were aborted`);
      process.exit(1);
    }, limit * 1000);
  }

  async function begin(exitCode: number): Promise<void> {
    stoppingSince = performance.now();
    try {
      await stop();
      log.info('stopped');
      process.exitCode = exitCode;
    } catch (err) {
      log.fatal({ err }, 'shutdown failed');
      process.exitCode = 1;
    }
    process.exit();
  }

  function onSignal(signal: NodeJS.Signals): void {
    if (stoppingSince === undefined) {
      log.info({ signal }, 'shutting down: waiting for running requests');
      exitAfter(seconds);
      void begin(0);
    } else if (performance.now() - stoppingSince > duplicateMs) {
      log.fatal({ signal }, 'second signal: running requests are aborted');
      process.exit(1);
    }
  }

  function onUncaught(err: unknown): void {
    log.fatal({ err }, 'shutting down after an unexpected error');
    exitAfter(Math.min(seconds, uncaughtSeconds));
    if (stoppingSince === undefined) void begin(1);
  }

  for (const signal of signals) process.on(signal, onSignal);
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
    process.off('uncaughtException', onUncaught);
    process.off('unhandledRejection', onUncaught);
  };
}
