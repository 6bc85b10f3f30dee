import { access, constants, stat, statfs } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import { masterKeyIdentity } from '../../db/master-key-identity.ts';
import { nearestFolder } from '../../embedded-postgres/embedded-postgres.ts';
import { KeyRing } from '../../encryption/key-ring.ts';
import { findMasterKey, wrongMasterKey } from '../../master-key-file.ts';
import { type Finding, fail, failure, ok, warn } from './findings.ts';

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

export async function examineMasterKey(database: Database, config: Config): Promise<Finding> {
  try {
    const key = await findMasterKey(config);
    const identity = await masterKeyIdentity(database);
    if (identity === null)
      return ok('master key', key ? 'there, and yet to be used' : 'made by the first start');
    if (!key || !new KeyRing(key).identity.equals(identity)) throw wrongMasterKey(config, key);
    return ok('master key', 'the one that this store was first used with');
  } catch (error) {
    return failure('master key', error, 'Put the one back that was there, from a backup.');
  }
}
