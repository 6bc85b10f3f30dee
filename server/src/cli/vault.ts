import { type Config, ConfigError } from '../config.ts';
import { Vault } from '../core/sealing/vault.ts';
import { wrongMasterKey } from '../master-key.ts';
import type { Database } from '../storage/database.ts';
import { masterKeyIdentity } from '../storage/master-key.ts';

/** With another key nothing would fit, so that it is told apart first. */
export async function openKnownVault(key: Buffer | null, config: Config, database: Database): Promise<Vault> {
  const identity = await masterKeyIdentity(database);
  if (!identity) throw new ConfigError('the store has no master key yet: start the service once.');
  const vault = key && new Vault(key);
  if (!vault?.identity.equals(identity)) throw wrongMasterKey(config, key);
  return vault;
}
