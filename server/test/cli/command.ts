import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { CommanderError } from 'commander';
import { expect } from 'vitest';
import { exitCodes, explainToOperator } from '../../src/cli/output.ts';
import { commandsBelow } from '../../src/cli/tree.ts';
import { program as commands } from '../../src/cli.ts';
import { atEnd } from '../setup/endings.ts';
import { environment, listen, type Outcome, outcomeOf } from '../setup/heard.ts';
import { copyStore, newStore } from '../setup/store.ts';
import { until } from '../setup/until.ts';

type Settings = Record<string, string>;

export interface Serving {
  readonly url: string;
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Outcome>;
}

const program = fileURLToPath(new URL('../../bin/anagrafe.cjs', import.meta.url));
/** The banner comes in one piece, so that the whole of it is there when its address is. */
const readyBanner = /API\s+(http:\/\/\S+?)\/api\//;

/** A data folder of its own; it goes with the test file. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-cli-'));
  atEnd(async () => {
    const pid = postmaster(folder);
    if (pid !== undefined) process.kill(pid, 'SIGQUIT');
    await until(
      () => postmaster(folder) === undefined,
      () => `the end of the PostgreSQL on ${folder}`,
    );
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A data folder as it is once a service has run on it; it goes with the test file. */
export async function usedFolder(): Promise<string> {
  const folder = dataFolder();
  await copyStore(folder);
  return folder;
}

/** Settings for a migrated database in the shared cluster; it is dropped when the test file ends. */
export async function databaseSettings(): Promise<Settings> {
  const { settings, discard } = await newStore();
  atEnd(discard);
  return settings;
}

/** The process id of the PostgreSQL that runs on the folder. */
export function postmaster(folder: string): number | undefined {
  const file = join(folder, 'postgres', 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  try {
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

/** Starts the program as a person would, with these settings and no others. */
export function start(args: readonly string[], settings: Settings = {}): ChildProcess {
  return spawned(process.execPath, [program, ...args], environment(settings));
}

function spawned(file: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  atEnd(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  return child;
}

/** Runs the program in a process of its own. */
export async function anagrafe(args: readonly string[], settings: Settings = {}): Promise<Outcome> {
  return outcomeOf(listen(start(args, settings)));
}

for (const command of commandsBelow(commands)) command.exitOverride();
let lastRun: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in the test's own process, which saves the start of another one. Calls run one after the other,
 * because the environment, the standard streams and the exit code belong to the whole process.
 */
export function inProcess(args: readonly string[], settings: Settings = {}): Promise<Outcome> {
  const run = lastRun.then(() => runHere(args, settings));
  lastRun = run.catch(() => {});
  return run;
}

async function runHere(args: readonly string[], settings: Settings): Promise<Outcome> {
  const [stdout, stderr] = [collector(), collector()];
  const { env, exitCode } = process;
  const streams = Object.getOwnPropertyDescriptors(process);
  const handlers = process.listeners('SIGINT');
  process.env = environment(settings);
  process.exitCode = undefined;
  Object.defineProperty(process, 'stdout', { value: stdout.stream, configurable: true });
  Object.defineProperty(process, 'stderr', { value: stderr.stream, configurable: true });
  try {
    // As cli/run.ts does.
    await commands.parseAsync(args, { from: 'user' }).catch((error: unknown) => {
      if (!(error instanceof CommanderError)) process.exitCode = explainToOperator(error);
      else process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage;
    });
    return { code: Number(process.exitCode ?? exitCodes.done), stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.env = env;
    process.exitCode = exitCode;
    Object.defineProperty(process, 'stdout', streams.stdout);
    Object.defineProperty(process, 'stderr', streams.stderr);
    for (const handler of process.listeners('SIGINT'))
      if (!handlers.includes(handler)) process.off('SIGINT', handler);
  }
}

function collector() {
  let text = '';
  const stream = new Writable({
    decodeStrings: false,
    write(piece, _encoding, done) {
      text += piece;
      done();
    },
  });
  return { stream, text: () => text };
}

/** The program on a terminal of so many columns: what is on the screen in the end, with what colours and moves it took. */
export async function onTerminal(
  args: readonly string[],
  settings: Settings = {},
  columns = 80,
): Promise<{ screen: string; code: number | null }> {
  const command = `stty cols ${columns}; "$NODE" "$PROGRAM" ${args.join(' ')}`;
  // What macOS has takes the command as arguments.
  const ways =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qec', command, '/dev/null'];
  const env = {
    ...environment(settings),
    NODE: process.execPath,
    PROGRAM: program,
    TERM: settings.TERM ?? 'xterm',
  };
  const heard = listen(spawned('script', ways, env));
  const { code, stdout } = await outcomeOf(heard);
  return { screen: stdout.replaceAll('\r\n', '\n'), code };
}

/** What a person sees of a mistake: one line, with at most a hint in brackets; nothing of the inside. The exit code tells whose fault it is. */
export function expectOneLine({ code, stderr }: Outcome, line: RegExp): void {
  const [said = '', ...more] = stderr.trimEnd().split('\n');
  expect(said).toMatch(line);
  expect(more.filter((hint) => !/^\(.*\)$/.test(hint))).toEqual([]);
  expect(code).toBe(said.startsWith('error: ') ? exitCodes.wrongUsage : exitCodes.trouble);
}

/** The service, once it has said that it is ready. */
export async function serve(settings: Settings): Promise<Serving> {
  const heard = listen(start(['serve'], { ANAGRAFE_PORT: '0', ...settings }));
  const { child } = heard;
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`the service ended: ${heard.stderr()}`);
      return readyBanner.test(heard.stderr());
    },
    () => `the banner of the service, which has written: ${heard.stderr()}${heard.stdout()}`,
  );
  return {
    url: readyBanner.exec(heard.stderr())?.[1] ?? '',
    process: child,
    stdout: heard.stdout,
    stderr: heard.stderr,
    end(signal) {
      child.kill(signal);
      return outcomeOf(heard);
    },
  };
}
