import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who is at work on something. */
export interface Owner {
  readonly host: string;
  readonly process: number;
  /** When the process began, as the system counts; null where it does not say. */
  readonly since: string | null;
}

export function thisProcess(): Owner {
  return { host: hostname(), process: process.pid, since: startOf(process.pid) };
}

/** Whether somebody else is still at it. A number that another process has got since does not count; another machine cannot be asked. */
export function isAtWork(owner: Owner): boolean {
  const { host, process: id, since } = owner;
  return host === hostname() && id !== process.pid && isAlive(id) && startOf(id) === since;
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startOf(id: number): string | null {
  try {
    // The name of the program, in brackets, may hold anything; the start is the 20th field behind it.
    const fields = readFileSync(`/proc/${id}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    // One that has ended, and waits for someone to take notice, is at work no more.
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
