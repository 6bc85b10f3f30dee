import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection, Database } from '../db/database.ts';
import { keepMasterKeyIdentity, lockMasterKey, readMasterKeys } from '../db/master-keys.ts';
import { readMasterKeys as decodeMasterKeys, KeyRing, type MasterKeys } from '../encryption/key-ring.ts';
import { type Config, ConfigError, prefix } from './config.ts';

/**
 * Reads the master keys from the setting, else from the data folder; returns none if none has been generated yet. The first
 * one is the newest.
 *
 * @throws {ConfigError} if an external database is used without the setting, or if the file contains no key.
 */
export async function findMasterKeys(config: Config): Promise<readonly Buffer[]> {
  if (config.MASTER_KEY !== null) return decodeMasterKeys(config.MASTER_KEY) ?? [];
  if (config.DATABASE_URL !== null) {
    throw new ConfigError(`${prefix}MASTER_KEY is not set, but ${prefix}DATABASE_URL requires it`, {
      code: 'master_key_required',
      advice:
        'set it to 32 random bytes, such as the output of "openssl rand -base64 32", the same on every node.',
    });
  }
  const text = await readIfThere(keyFile(config));
  if (text === null) return [];
  const keys = decodeMasterKeys(text.trim());
  if (keys === null)
    throw new ConfigError(`${keyFile(config)} is no master key`, {
      code: 'master_key_invalid',
      advice: putBack,
    });
  return keys;
}

/**
 * Opens the key ring; generates the master key of a new store.
 *
 * @throws {ConfigError} if a master key that this database needs is missing.
 */
export async function openKeyRing(
  found: readonly Buffer[],
  config: Config,
  database: Database,
): Promise<KeyRing> {
  if ((await readMasterKeys(database, hours(config))) === null) {
    const keys = found.length > 0 ? found : [await makeMasterKey(config)];
    await keepMasterKeyIdentity(database, new KeyRing(...keys).identity);
    return openExistingKeyRing(keys, config, database);
  }
  return openExistingKeyRing(found, config, database);
}

/**
 * Opens the key ring of a database that has a master key.
 *
 * @throws {ConfigError} if a master key that this database needs is missing.
 */
export async function openExistingKeyRing(
  found: readonly Buffer[],
  config: Config,
  database: Database,
): Promise<KeyRing> {
  const stored = await readMasterKeys(database, hours(config));
  if (!stored)
    throw new ConfigError('The database has no master key yet. Start the service once to create it.');
  requireNeeded(found, stored, config);
  const keyRing = new KeyRing(...found);
  keyRing.refresh = (connection = database) => refresh(keyRing, config, connection);
  keyRing.lock = async (connection) => {
    if (!(await lockMasterKey(connection))?.equals(keyRing.identity)) await keyRing.refresh(connection);
  };
  keyRing.use(stored);
  return keyRing;
}

/** Reads the key file again if the database names a key that is not held: `key rotate` adds new keys to the file. */
async function refresh(
  keyRing: KeyRing,
  config: Config,
  connection: Pick<Connection, 'query'>,
): Promise<void> {
  const stored = await readMasterKeys(connection, hours(config));
  if (!stored) return;
  if (!keyRing.holds(stored.current)) keyRing.hold(await findMasterKeys(config));
  keyRing.use(stored);
}

function hours({ IDEMPOTENCY_HOURS: recentHours }: Config) {
  return { recentHours };
}

/** @throws {ConfigError} if the key in use is missing, or a former one with which stored values may be encrypted. */
export function requireNeeded(found: readonly Buffer[], stored: MasterKeys, config: Config): void {
  if (found.length === 0)
    throw new ConfigError(`${keyFile(config)} is missing`, { code: 'master_key_missing', advice: putBack });
  const keyRing = new KeyRing(...found);
  const where = config.MASTER_KEY === null ? keyFile(config) : `${prefix}MASTER_KEY`;
  if (!keyRing.holds(stored.current)) {
    const isFormer = stored.former.some(({ identity }) => keyRing.holds(identity));
    const problem = isFormer
      ? `${where} has only a former master key: the database uses the key ${shortId(stored.current)}`
      : `${where} is not the master key of this database`;
    throw new ConfigError(problem, {
      code: isFormer ? 'master_key_former' : 'master_key_wrong',
      advice: isFormer ? 'Put the newer key before it, separated by a comma.' : putBack,
    });
  }
  const needed = stored.former.find((key) => key.retiredAt === null && !keyRing.holds(key.identity));
  if (needed)
    throw new ConfigError(
      `${where} lacks the former key ${shortId(needed.identity)}, with which stored values are still encrypted`,
      {
        code: 'master_key_needed',
        advice:
          'Put it back after the new one, separated by a comma, until "key list" shows that it is no longer needed.',
      },
    );
}

/** Names a master key in messages. */
export function shortId(identity: Buffer): string {
  return identity.toString('hex', 0, 4);
}

/** Generates the master key of a new store. */
export async function makeMasterKey(config: Config): Promise<Buffer> {
  const key = randomBytes(32);
  await writeKeyFile([key], config);
  return key;
}

/** Adds a new key to the key file, before the present ones, unless an interrupted rotation has added one. */
export async function addMasterKey(config: Config, current: Buffer): Promise<void> {
  const keys = await findMasterKeys(config);
  if (!new KeyRing(...keys).identity.equals(current)) return;
  await writeKeyFile([randomBytes(32), ...keys], config);
}

/** Writes the key file with the owner that it had. The rename at the end prevents a partially written file. */
async function writeKeyFile(keys: readonly Buffer[], config: Config): Promise<void> {
  const path = keyFile(config);
  const owner = await stat(path).catch(() => null);
  // An interrupted start may have left this file. Neither `rm` nor the flag `wx` follows a symbolic link.
  await rm(`${path}.new`, { force: true });
  const file = await open(`${path}.new`, 'wx', 0o600);
  try {
    await file.chmod(0o600);
    if (owner && owner.uid !== process.getuid?.()) await file.chown(owner.uid, owner.gid);
    await file.writeFile(keys.map((key) => `${key.toString('base64')}\n`).join(''));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  // The database stores the identity of the key next. The fsync of the folder makes the rename survive a power failure.
  const folder = await open(config.DATA);
  await folder.sync().finally(() => folder.close());
}

const putBack = `restore the original key from a backup, or set ${prefix}MASTER_KEY.`;

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
