import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../db/database.ts';
import { keepMasterKeyIdentity, masterKeyIdentity } from '../db/lookups.ts';
import { KeyRing, readMasterKey } from '../encryption/key-ring.ts';
import { type Config, ConfigError, prefix } from './config.ts';

/**
 * Reads the master key from the setting, else from the data folder; returns null if none has been generated yet.
 *
 * @throws {ConfigError} if an external database is used without the setting, or if the file contains no key.
 */
export async function findMasterKey(config: Config): Promise<Buffer | null> {
  if (config.MASTER_KEY !== null) return readMasterKey(config.MASTER_KEY);
  if (config.DATABASE_URL !== null) {
    throw new ConfigError(`${prefix}MASTER_KEY is not set, but ${prefix}DATABASE_URL requires it`, {
      code: 'master_key_required',
      advice:
        'set it to 32 random bytes, such as the output of "openssl rand -base64 32", the same on every node.',
    });
  }
  const text = await readIfThere(keyFile(config));
  const key = text === null ? null : readMasterKey(text.trim());
  if (text !== null && key === null)
    throw new ConfigError(`${keyFile(config)} is no master key`, {
      code: 'master_key_invalid',
      advice: putBack,
    });
  return key;
}

/**
 * Opens the key ring; generates the master key of a new store.
 *
 * @throws {ConfigError} if the master key is not the one that this database was first used with.
 */
export async function openKeyRing(
  found: Buffer | null,
  config: Config,
  database: Database,
): Promise<KeyRing> {
  if (found === null && (await masterKeyIdentity(database))) throw wrongMasterKey(config, found);
  const key = found ?? (await makeMasterKey(config));
  const keyRing = new KeyRing(key);
  const identity = await keepMasterKeyIdentity(database, keyRing.identity);
  if (!identity?.equals(keyRing.identity)) throw wrongMasterKey(config, key);
  return keyRing;
}

/** Generates the master key of a new store. The rename at the end prevents a partially written key file. */
export async function makeMasterKey(config: Config): Promise<Buffer> {
  const path = keyFile(config);
  const key = randomBytes(32);
  // An interrupted start may have left this file. Neither `rm` nor the flag `wx` follows a symbolic link.
  await rm(`${path}.new`, { force: true });
  const file = await open(`${path}.new`, 'wx', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(`${key.toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  // The database stores the identity of the key next. The fsync of the folder makes the rename survive a power failure.
  const folder = await open(config.DATA);
  await folder.sync().finally(() => folder.close());
  return key;
}

const putBack = `restore the original key from a backup, or set ${prefix}MASTER_KEY.`;

/** Returns the error for a master key that does not match the database, or that is missing (null). */
export function wrongMasterKey(config: Config, key: Buffer | null): ConfigError {
  if (key === null)
    return new ConfigError(`${keyFile(config)} is missing`, { code: 'master_key_missing', advice: putBack });
  const where = config.MASTER_KEY === null ? keyFile(config) : `${prefix}MASTER_KEY`;
  return new ConfigError(`${where} is not the master key that this database was first used with`, {
    code: 'master_key_wrong',
    advice: putBack,
  });
}

function keyFile(config: Config): string {
  return join(config.DATA, 'master.key');
}

async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // The start of PostgreSQL reports a data folder that is a file.
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}
