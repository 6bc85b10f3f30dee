import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The exit code and output of a program that has ended; `code` is null if a signal ended it. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running program with the output that it has written so far. */
export interface Heard {
  readonly child: ChildProcess;
  readonly closed: Promise<unknown>;
  stdout(): string;
  stderr(): string;
}

export function listen(child: ChildProcess): Heard {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return { child, closed: once(child, 'close'), stdout: () => stdout, stderr: () => stderr };
}

export async function outcomeOf({ child, closed, stdout, stderr }: Heard): Promise<Outcome> {
  await closed;
  return { code: child.exitCode, stdout: stdout(), stderr: stderr() };
}

/** The environment of this process without `ANAGRAFE_*` and `NO_COLOR`, plus the given settings. */
export function environment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !/^(ANAGRAFE_|NO_COLOR$)/.test(name));
  return { ...Object.fromEntries(others), ...settings };
}
