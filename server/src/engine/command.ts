import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Home } from './home.ts';

const exec = promisify(execFile);

/** A program that could not be run, or that ended badly; `output` is what it wrote. */
export class CommandError extends Error {
  readonly output: string;
  constructor(message: string, output: string) {
    super(message);
    this.output = output;
  }
}

/** Runs one of PostgreSQL's programs to its end, as the owner; returns what it printed. */
export async function runAsOwner(home: Home, program: string, args: string[]): Promise<string> {
  try {
    const { stdout } = await exec(program, args, surroundings(home));
    return stdout;
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string };
    const output = stderr?.trim() || message;
    throw new CommandError(message, output);
  }
}

/** Nothing of our environment: it may hold secrets, and PG* variables that change what PostgreSQL does. */
export function surroundings(home: Home) {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return { cwd: home.data, env, ...home.owner.identity };
}
