import type { BlockList } from 'node:net';
import { isInside, networkList } from '../network.ts';

/** Where nothing of the outside world is: this machine, private networks, and what is set aside for other ends. */
const internal = networkList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);

/** Why nothing may be sent to an address; null where it may. Plain http goes to named networks alone. */
export function refusalOf(address: string, protocol: string, allowed: BlockList): string | null {
  if (isInside(address, allowed)) return null;
  if (isInside(address, internal))
    return 'the address is internal, and ANAGRAFE_WEBHOOK_NETWORKS does not name it';
  return protocol === 'https:' ? null : 'plain http is for the networks in ANAGRAFE_WEBHOOK_NETWORKS';
}
