import type { Config } from '../../config.ts';
import { Vault } from '../../core/sealing/vault.ts';
import { findMasterKey, wrongMasterKey } from '../../master-key.ts';
import type { Database } from '../../storage/database.ts';
import { masterKeyIdentity } from '../../storage/master-key.ts';
import { type Finding, failure, ok } from './finding.ts';

export async function examineMasterKey(database: Database, config: Config): Promise<Finding> {
  try {
    const key = await findMasterKey(config);
    const identity = await masterKeyIdentity(database);
    if (identity === null)
      return ok('master key', key ? 'there, and yet to be used' : 'made by the first start');
    if (!key || !new Vault(key).identity.equals(identity)) throw wrongMasterKey(config, key);
    return ok('master key', 'the one that this store was first used with');
  } catch (error) {
    return failure('master key', error, 'Put the one back that was there, from a backup.');
  }
}
