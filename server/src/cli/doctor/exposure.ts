import { type Config, prefix } from '../../config.ts';
import { isLoopback } from '../../network.ts';
import { type Finding, ok, warn } from './finding.ts';

export function isOpenToOthers({ HOST }: Config): boolean {
  return HOST !== 'localhost' && !isLoopback(HOST);
}

/** The service speaks plain HTTP: what is between it and its callers has to see to TLS. */
export function examineExposure(config: Config): Finding {
  if (!isOpenToOthers(config)) return ok('network', `${config.HOST}: only this machine can call`);
  if (config.TRUST_PROXY.length > 0)
    return ok('network', `${config.HOST}, behind the reverse proxy at ${config.TRUST_PROXY.join(', ')}`);
  return warn(
    'network',
    `${config.HOST}: other machines can call, and passwords go to it unencrypted`,
    `Put a reverse proxy with TLS in front, and name its address in ${prefix}TRUST_PROXY.`,
  );
}
