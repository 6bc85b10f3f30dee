import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { DataFolder } from './data-folder.ts';

/** A program could not be started or exited with an error. `output` is its stderr, or the error message if empty. */
export class CommandError extends Error {
  readonly output: string;
  constructor(message: string, output: string) {
    super(message);
    this.output = output;
  }
}

/** Runs a PostgreSQL program as the owner of the cluster until it exits. Returns its stdout. */
export async function runAsOsUser(home: DataFolder, program: string, args: string[]): Promise<string> {
  try {
    const { stdout } = await exec(program, args, spawnOptions(home));
    return stdout;
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string };
    const output = stderr?.trim() || message;
    throw new CommandError(message, output);
  }
}

/**
 * Returns working directory, environment and user for `spawn`. Excludes the environment of this process, which may
 * contain secrets, and PG* variables that change the behaviour of PostgreSQL.
 */
export function spawnOptions(home: DataFolder) {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return { cwd: home.data, env, ...home.owner.identity };
}

const exec = promisify(execFile);

export function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
