import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ImportError, type ImportTask } from './task.ts';

/** Refuses to write over the file that is read, or two things into one file. */
export async function refuseSamePaths(task: ImportTask): Promise<void> {
  const seen = new Set<string>();
  for (const path of [
    task.path,
    task.failedPath,
    task.wouldFailPath,
    task.passwordsPath,
    task.progressPath,
  ]) {
    if (path === null) continue;
    const real = await realPath(path);
    if (seen.has(real))
      throw new ImportError(`${path} is named for two things. Give each a file of its own.`);
    seen.add(real);
  }
}

/** Passwords that were made up before are nowhere else. */
export async function refuseFilled(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && found.size > 0)
    throw new ImportError(
      `${path} is there already, and may hold passwords. Move it away, or name another file.`,
    );
}

/** Also of a file that is not there yet. */
async function realPath(path: string): Promise<string> {
  const whole = await realpath(path).catch(() => null);
  return whole ?? join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path));
}
