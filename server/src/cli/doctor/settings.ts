import { type ConfigError, prefix } from '../../config.ts';
import { type Finding, fail, ok } from './finding.ts';

/** One for each that is wrong. */
export function settingFindings(
  environment: NodeJS.ProcessEnv,
  faults: ReadonlyMap<string, ConfigError>,
): Finding[] {
  if (faults.size === 0) {
    const given = Object.keys(environment).filter((name) => name.startsWith(prefix));
    return [ok('settings', given.length === 0 ? 'none is given' : `understood: ${given.join(', ')}`)];
  }
  return [...faults.values()].map(({ message }) => {
    const [found = message, todo = ''] = message.split('; ');
    return fail('settings', found, todo);
  });
}
