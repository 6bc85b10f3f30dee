import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { CommanderError } from 'commander';
import { expect } from 'vitest';
import { exitCodes, explainToOperator } from '../../server/src/cli/output/output.ts';
import { program as commands, commandsBelow } from '../../server/src/cli/program.ts';
import { dataParent } from './data-parent.ts';
import { atEnd } from './endings.ts';
import { environment, listen, type Outcome, outcomeOf } from './heard.ts';
import { copyStore, newStore } from './store.ts';
import { until } from './until.ts';

type Settings = Record<string, string>;

export interface Serving {
  readonly url: string;
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends the signal and waits for the exit. */
  end(signal: NodeJS.Signals): Promise<Outcome>;
}

export const programPath = fileURLToPath(new URL('../../server/bin/anagrafe.cjs', import.meta.url));
/** Matches the end of a question on the terminal: of a password, or of a confirmation. */
const question = /(password: |\[y\/N\] )/g;
/** Matches the API address in the banner; the program writes the banner at once, so the rest of it is there too. */
const readyBanner = /API\s+(http:\/\/\S+?)\/api\//;

/** Creates an empty data folder; when the test file ends, its PostgreSQL is stopped and the folder deleted. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(dataParent(), 'anagrafe-cli-'));
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

/** Creates a data folder on which a service has run before; it is deleted when the test file ends. */
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

/** Returns the process ID of the PostgreSQL that runs on a data folder, or undefined if none does. */
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

/** Starts the program in a child process with only these settings. */
export function start(args: readonly string[], settings: Settings = {}): ChildProcess {
  return spawned(process.execPath, [programPath, ...args], environment(settings));
}

function spawned(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stdin: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  const child = spawn(file, args, { env, stdio: [stdin, 'pipe', 'pipe'] });
  atEnd(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  return child;
}

/** Runs the program to its end in a child process. */
export async function anagrafe(args: readonly string[], settings: Settings = {}): Promise<Outcome> {
  return outcomeOf(listen(start(args, settings)));
}

for (const command of commandsBelow(commands)) command.exitOverride();
let lastRun: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in the process of the test, which is faster than starting a child process. Calls run one after the
 * other, because the environment, the standard streams and the exit code belong to the whole process.
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
    // The error handling is the same as in cli/run.ts.
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

/**
 * Runs the program on a pseudo-terminal; `screen` is its whole output with control sequences. Each of `answers` is typed
 * when the program has asked a question that no earlier answer belongs to; a function is called at that moment.
 */
export async function onTerminal(
  args: readonly string[],
  settings: Settings = {},
  columns = 80,
  answers: readonly (string | (() => Promise<string>))[] = [],
): Promise<{ screen: string; code: number | null }> {
  const command = `stty cols ${columns}; "$NODE" "$PROGRAM" ${args.join(' ')}`;
  // script(1) of macOS takes the command as arguments.
  const scriptArgs =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qec', command, '/dev/null'];
  const env = {
    ...environment(settings),
    NODE: process.execPath,
    PROGRAM: programPath,
    TERM: settings.TERM ?? 'xterm',
  };
  const running = listen(spawned('script', scriptArgs, env, answers.length > 0 ? 'pipe' : 'ignore'));
  for (const [index, answer] of answers.entries()) {
    await until(
      () => (running.stdout().match(question)?.length ?? 0) > index || running.child.exitCode !== null,
      () => `question ${index + 1} of the program, which has written: ${running.stdout()}`,
    );
    running.child.stdin?.write(`${typeof answer === 'string' ? answer : await answer()}\r`);
  }
  const { code, stdout } = await outcomeOf(running);
  return { screen: stdout.replaceAll('\r\n', '\n'), code };
}

/**
 * Expects an error message of one line without a stack trace. Wrong usage has its exit code and a hint at the help; any
 * other failure has neither.
 */
export function expectOneLine({ code, stderr }: Outcome, line: RegExp): void {
  const [message = '', ...more] = stderr.trimEnd().split('\n');
  expect(message).toMatch(line);
  const isWrongUsage = code === exitCodes.wrongUsage;
  const hints = more.filter((hint) => !/^\(Did you mean .*\)$/.test(hint));
  expect(hints).toEqual(isWrongUsage ? [expect.stringMatching(/^\(run "anagrafe .*--help" .*\)$/)] : []);
  if (!isWrongUsage) expect(code).toBe(exitCodes.trouble);
}

/** Expects a one-line error for a command line that is rejected before anything is done. */
export function expectWrongUsage(outcome: Outcome, line: RegExp): void {
  expectOneLine(outcome, line);
  expect(outcome.code).toBe(exitCodes.wrongUsage);
}

/** Starts the service in a child process and waits for its banner. */
export async function serve(settings: Settings): Promise<Serving> {
  const running = listen(start(['serve'], { ANAGRAFE_PORT: '0', ...settings }));
  const { child } = running;
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`the service ended: ${running.stderr()}`);
      return readyBanner.test(running.stderr());
    },
    () => `the banner of the service, which has written: ${running.stderr()}${running.stdout()}`,
  );
  return {
    url: readyBanner.exec(running.stderr())?.[1] ?? '',
    process: child,
    stdout: running.stdout,
    stderr: running.stderr,
    end(signal) {
      child.kill(signal);
      return outcomeOf(running);
    },
  };
}
