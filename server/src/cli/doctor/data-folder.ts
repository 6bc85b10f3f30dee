import { access, constants, stat, statfs } from 'node:fs/promises';
import { nearestFolder } from '../../engine/inspection.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const mebibyte = 1024 * 1024;
const scarce = 1024 * mebibyte;
const tooLittle = 100 * mebibyte;

export async function examineDataFolder(path: string): Promise<Finding[]> {
  return [await place(path), await space(path)];
}

async function place(path: string): Promise<Finding> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isDirectory())
    return fail(
      'data folder',
      `${path} is not a folder`,
      'Move that file away, or set ANAGRAFE_DATA to another folder.',
    );
  const nearest = await nearestFolder(path);
  const writable = await access(nearest, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!writable) {
    const who = `the user of this command (uid ${process.getuid?.()})`;
    return fail(
      'data folder',
      `${nearest} is closed to ${who}`,
      'Give it to that user, or set ANAGRAFE_DATA to another folder.',
    );
  }
  return ok(
    'data folder',
    found ? `${path}, of uid ${found.uid}` : `${path} is yet to be made, by the first start`,
  );
}

async function space(path: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestFolder(path));
  return spaceFinding(bavail * bsize);
}

export function spaceFinding(free: number): Finding {
  const found = `${free >= scarce ? `${(free / scarce).toFixed(1)} GiB` : `${Math.floor(free / mebibyte)} MiB`} free`;
  const todo = 'Free some, or set ANAGRAFE_DATA to a folder on a larger disk.';
  if (free < tooLittle) return fail('disk space', found, todo);
  return free < scarce ? warn('disk space', found, todo) : ok('disk space', found);
}
