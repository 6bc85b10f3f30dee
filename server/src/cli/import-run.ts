import { ApiError, ConnectionError, TimeoutError } from '@anagrafe/client';
import { SheetError } from '@anagrafe/client/sheet';
import { type ImportTools, runImport } from '../import/run.ts';
import type { ImportFigures, ImportTask } from '../import/task.ts';
import { tryImport } from '../import/trial.ts';
import { type ConnectionOptions, reach } from './connection.ts';
import { greet, tellResult, tellTrial } from './import-report.ts';
import { LiveLine, type Standing } from './live-line.ts';
import { exitCodes, explainToOperator, tell } from './output.ts';

export interface RunOptions extends ConnectionOptions {
  readonly dryRun?: boolean;
  readonly restart?: boolean;
  readonly json?: boolean;
}

/** What a command is given; where the service is, it finds out itself. */
export type FileWish = Omit<ImportTask, 'url' | 'caller'>;

/** The operator has had enough. */
class Interrupted extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

/** Brings a file to the service, or tries it, and says how it goes. */
export async function bringFile(wish: FileWish, options: RunOptions): Promise<void> {
  const { anagrafe, url, caller } = await reach(options);
  const task = { ...wish, url, caller };
  const line = new LiveLine();
  let begun = false;
  const interruption = interruptible();
  const tools: ImportTools = {
    anagrafe,
    signal: interruption.signal,
    onBegun(sheet, rowsBefore) {
      begun = true;
      greet(sheet, rowsBefore, task);
    },
    onProgress: (figures) => line.show(standingOf(figures, task, options)),
  };
  try {
    const tellEnd = options.dryRun
      ? await tryOut(task, tools, options)
      : await carryOut(task, tools, options);
    line.end({ keeping: true });
    tellEnd();
  } catch (error) {
    line.end({ keeping: true });
    process.exitCode = error instanceof Interrupted ? error.exitCode : explainToOperator(error);
    if (options.dryRun || !begun) return;
    const stopped = error instanceof Interrupted ? 'Stopped. The service goes on with what was sent. ' : '';
    if (stopped || canGoOn(error))
      tell(`${stopped}Run the same command again to go on; nothing is done twice.`);
    if (error instanceof SheetError)
      tell('Every row before that is done. Mend the rest, and run the same command again.');
  } finally {
    interruption.end();
  }
}

/** Whether the same command may have better luck another time. */
function canGoOn(error: unknown): boolean {
  const isAway = error instanceof ApiError && (error.status >= 500 || error.status === 429);
  return isAway || error instanceof ConnectionError || error instanceof TimeoutError;
}

function interruptible(): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const stopBy = (code: number) => () => controller.abort(new Interrupted(code));
  const [onInterrupt, onTerminate] = [stopBy(exitCodes.interrupted), stopBy(exitCodes.terminated)];
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate);
  return {
    signal: controller.signal,
    end() {
      process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate);
    },
  };
}

async function carryOut(task: ImportTask, tools: ImportTools, options: RunOptions): Promise<() => void> {
  const result = await runImport(task, tools, { anew: options.restart ?? false });
  if (result.failed > 0) process.exitCode = exitCodes.someFailed;
  return () => tellResult(result, task, options.json ?? false);
}

async function tryOut(task: ImportTask, tools: ImportTools, options: RunOptions): Promise<() => void> {
  const trial = await tryImport(task, tools);
  if (trial.failed > 0) process.exitCode = exitCodes.someFailed;
  return () => tellTrial(trial, task, options.json ?? false);
}

/** How many rows there are is not known before the end; the bytes tell about how many. */
function standingOf(
  { bytes, bytesDone, rowsDone, rowsFailed }: ImportFigures,
  { purpose }: ImportTask,
  { dryRun }: RunOptions,
): Standing {
  const total = bytesDone > 0 && rowsDone > 0 ? Math.round((rowsDone * bytes) / bytesDone) : null;
  return {
    state: dryRun ? 'checking' : purpose === 'register' ? 'importing' : 'resetting',
    done: rowsDone,
    total: total === null ? null : Math.max(total, rowsDone),
    guessed: bytesDone < bytes,
    unit: 'rows',
    failed: rowsFailed,
  };
}
