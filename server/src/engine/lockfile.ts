import { execFile } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { type Home, PORT } from './home.ts';

/** What a running PostgreSQL says of itself in its cluster's postmaster.pid. */
export interface LockFile {
  readonly text: string;
  readonly pid: number;
  /** Where it listens; undefined while it has not said so, and in a file that was copied from elsewhere. */
  readonly sockets: string | undefined;
}

export async function readLockFile(cluster: string): Promise<LockFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [pid, folder, , , sockets] = text.split('\n');
  const here = folder !== undefined && (await sameFolder(folder, cluster));
  // A negative number is a PostgreSQL in single-user mode.
  return { text, pid: Math.abs(Number(pid)), sockets: here && sockets ? sockets : undefined };
}

/**
 * Who has the process id of a lock file: PostgreSQL on this cluster, no one, or a stranger that was given the
 * number after PostgreSQL died. A dead process that no one waited for counts as a stranger, and so does an
 * empty file, which a power cut leaves.
 */
export async function holderOf(pid: number, cluster: string): Promise<'postgres' | 'no one' | 'a stranger'> {
  if (!(pid > 1)) return 'a stranger';
  if (!isAlive(pid)) return 'no one';
  const command = await commandLine(pid);
  // Where the system does not tell, nothing may be removed from under a PostgreSQL that may be running.
  if (command === undefined) return isAlive(pid) ? 'postgres' : 'no one';
  if (basename(command[0] ?? '') !== 'postgres') return 'a stranger';
  const folder = command.includes('-D') ? (command[command.indexOf('-D') + 1] ?? '') : '';
  if (isAbsolute(folder) && !(await sameFolder(folder, cluster))) return 'a stranger';
  return 'postgres';
}

/** Removes lock files that name a stranger: PostgreSQL would take the stranger for its like and give up. */
export async function removeLockFiles(home: Home, judged: LockFile): Promise<void> {
  const now = await readLockFile(home.cluster);
  if (now?.text !== judged.text) return;
  const ofSocket = join(home.sockets, `.s.PGSQL.${PORT}.lock`);
  const text = await readFile(ofSocket, 'utf8').catch(() => '');
  if (text.split('\n')[0] === judged.text.split('\n')[0]) await rm(ofSocket, { force: true });
  await rm(join(home.cluster, 'postmaster.pid'), { force: true });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function commandLine(pid: number): Promise<string[] | undefined> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
    return text?.split('\0');
  }
  // `ps` does not tell where an argument ends; the folder is followed by our next option.
  const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: undefined,
  }));
  if (stdout === undefined) return undefined;
  const [, program, folder] = /^(.*?) -D (.*?)(?: -c .*)?\n?$/s.exec(stdout) ?? [];
  return program === undefined || folder === undefined ? [stdout.trim()] : [program, '-D', folder];
}

async function sameFolder(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(one), stat(other)].map((found) => found.catch(() => undefined)));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}
