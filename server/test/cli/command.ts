import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { exitCodes } from '../../src/cli/output.ts';
import { atEnd } from '../setup/endings.ts';
import { environment, listen, type Outcome, outcomeOf } from '../setup/heard.ts';
import { copyStore } from '../setup/store.ts';

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
    while (postmaster(folder) !== undefined) await sleep(20);
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

export async function anagrafe(args: readonly string[], settings: Settings = {}): Promise<Outcome> {
  return outcomeOf(listen(start(args, settings)));
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
  while (!readyBanner.test(heard.stderr())) {
    if (child.exitCode !== null) throw new Error(`the service ended: ${heard.stderr()}`);
    await sleep(20);
  }
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
