import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AtEnd } from './endings.ts';

/** A child process that ends with the benchmark at the latest. */
export interface Program {
  /** Resolves with the exit code when its output is closed, also by the processes that it has started. */
  readonly ended: Promise<number | null>;
  hasEnded(): boolean;
  /** The last 8 KiB of its output. */
  lastWords(): string;
}

const longestStopMs = 5000;
const longestStartMs = 60_000;

export interface ProgramOptions extends SpawnOptions {
  /** The signal for an orderly stop. */
  readonly stopSignal?: NodeJS.Signals;
}

export function startProgram(
  atEnd: AtEnd,
  command: string,
  args: readonly string[],
  { stopSignal = 'SIGTERM', ...options }: ProgramOptions = {},
): Program {
  atEnd(stop);
  // A process group of its own: Ctrl-C signals only the benchmark, which then stops the whole group in order.
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  function append(piece: Buffer | string): void {
    output = (output + piece).slice(-8192);
  }
  child.stdout?.on('data', append);
  child.stderr?.on('data', append);
  child.once('error', ({ message }) => append(message));
  let closed = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      closed = true;
      resolve(code);
    });
  });
  async function stop(): Promise<void> {
    if (closed) return;
    signalGroup(child, stopSignal);
    const killTimer = setTimeout(() => signalGroup(child, 'SIGKILL'), longestStopMs);
    await ended;
    clearTimeout(killTimer);
  }
  return { ended, hasEnded: () => closed, lastWords: () => output.trim() };
}

/** Waits until the program is ready; throws if it ends first or takes longer than `longestStartMs`. */
export async function ready(program: Program, isReady: () => Promise<boolean> | boolean): Promise<void> {
  const limit = performance.now() + longestStartMs;
  while (!(await isReady())) {
    if (program.hasEnded()) throw new Error(`it ended at its start: ${program.lastWords()}`);
    if (performance.now() > limit) throw new Error(`it did not start: ${program.lastWords()}`);
    await sleep(50);
  }
}

/** Waits until the program has ended; throws with its output unless the exit code is 0. */
export async function finished(program: Program): Promise<void> {
  if ((await program.ended) !== 0) throw new Error(program.lastWords());
}

export function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
