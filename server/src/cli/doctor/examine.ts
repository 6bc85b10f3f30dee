import { type Config, prefix, readConfig, settingFaults } from '../../config.ts';
import { examineExposure } from './exposure.ts';
import type { Finding } from './finding.ts';
import { examineHashing } from './hashing.ts';
import { nodeVersion, openFiles } from './machine.ts';
import { examinePort } from './port.ts';
import { settingFindings } from './settings.ts';
import { examineStore } from './store.ts';

/** Every check, in the order in which a start would come across what they look at. */
export async function* examine(environment: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  yield nodeVersion();
  const faults = settingFaults(environment);
  yield* settingFindings(environment, faults);
  const rest = Object.entries(environment).filter(([name]) => !faults.has(name));
  const config = readConfig(Object.fromEntries(rest));
  /** In place of a setting that is wrong stands one that nobody asked for: what depends on it tells nothing. */
  const understood = (...names: (keyof Config)[]) => names.every((name) => !faults.has(prefix + name));

  yield openFiles(config);
  if (understood('DATA', 'DATABASE_URL')) yield* examineStore(config, { withKey: understood('MASTER_KEY') });
  if (understood('HOST', 'PORT')) yield await examinePort(config);
  if (understood('HOST', 'TRUST_PROXY')) yield examineExposure(config);
  if (understood('HASH_CONCURRENCY', 'HASH_MEMORY_KIB', 'HASH_PASSES')) yield* examineHashing(config);
}
