import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AtEnd } from './endings.ts';

/** Something that runs beside the benchmark, and not longer than it. */
export interface Program {
  /** Settles when it and all that it has started are gone; gives its exit code. */
  readonly ended: Promise<number | null>;
  hasEnded(): boolean;
  /** The end of what it has written. */
  lastWords(): string;
}

const longestStopMs = 5000;
const longestStartMs = 60_000;

export interface ProgramOptions extends SpawnOptions {
  /** What makes it end in order. */
  readonly stopSignal?: NodeJS.Signals;
}

export function startProgram(
  atEnd: AtEnd,
  command: string,
  args: readonly string[],
  { stopSignal = 'SIGTERM', ...options }: ProgramOptions = {},
): Program {
  atEnd(stop);
  // A group of its own: Ctrl-C reaches the benchmark alone, which ends the group as a whole and in order.
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let words = '';
  function listen(piece: Buffer | string): void {
    words = (words + piece).slice(-8192);
  }
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  child.once('error', ({ message }) => listen(message));
  let gone = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      gone = true;
      resolve(code);
    });
  });
  async function stop(): Promise<void> {
    if (gone) return;
    signalGroup(child, stopSignal);
    const patience = setTimeout(() => signalGroup(child, 'SIGKILL'), longestStopMs);
    await ended;
    clearTimeout(patience);
  }
  return { ended, hasEnded: () => gone, lastWords: () => words.trim() };
}

/** Waits until the program is ready; gives up when it has ended, or takes too long. */
export async function ready(program: Program, isReady: () => Promise<boolean> | boolean): Promise<void> {
  const limit = performance.now() + longestStartMs;
  while (!(await isReady())) {
    if (program.hasEnded()) throw new Error(`it ended at its start: ${program.lastWords()}`);
    if (performance.now() > limit) throw new Error(`it did not start: ${program.lastWords()}`);
    await sleep(50);
  }
}

/** Waits until the program has done what it was started for. */
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
