import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError, prefix } from './config.ts';
import { readMasterKey } from './core/sealing/master-key.ts';

/** The service's own key: the one that is set, else the one that lies in the data folder, made there once. */
export async function openMasterKey(config: Config): Promise<Buffer> {
  if (config.MASTER_KEY !== null) return readMasterKey(config.MASTER_KEY) as Buffer;
  if (config.DATABASE_URL !== null) {
    throw new ConfigError(
      `${prefix}MASTER_KEY is not set, and ${prefix}DATABASE_URL needs it: give every node the same 32 random bytes, ` +
        'such as "openssl rand -base64 32" gives.',
    );
  }
  const path = join(config.DATA, 'master.key');
  const text = (await readIfThere(path)) ?? (await makeKey(path));
  const key = readMasterKey(text.trim());
  if (key === null)
    throw new ConfigError(
      `${path} does not hold a master key: put the right one back from a backup, or set ${prefix}MASTER_KEY.`,
    );
  return key;
}

async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** Written beside its place first: half a key would be worse than none. */
async function makeKey(path: string): Promise<string> {
  const text = `${randomBytes(32).toString('base64')}\n`;
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  return text;
}
