import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { endianness } from 'node:os';
import { hexOf, plainAddress } from './network.ts';
import { SharedLookups } from './shared-lookup.ts';

/** The TCP sockets of this machine, with the user of each. Only Linux has these files. */
const tables = { ipv4: '/proc/self/net/tcp', ipv6: '/proc/self/net/tcp6' };

const reads = new SharedLookups<string | null>();
const decisions = new WeakMap<Socket, Promise<boolean>>();

/**
 * Returns true if the program at the other end of a loopback connection runs as the user of this process or as root, or
 * if the system is not Linux, which has the tables that show it. The answer is the same for all requests of a connection.
 */
export function isOwnPeer(socket: Socket): Promise<boolean> {
  const decision = decisions.get(socket) ?? decide(socket);
  decisions.set(socket, decision);
  return decision;
}

async function decide({ remoteAddress, remotePort, localAddress, localPort }: Socket): Promise<boolean> {
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return false; // the connection was lost
  const peer = { address: remoteAddress, port: remotePort };
  const own = { address: localAddress, port: localPort };
  // Linux may leave a row out of the table while others are added and removed, so a missing one is read again.
  for (let round = 1; round <= 2; round++) {
    const table = await reads.run('', readTables);
    if (table === null) return process.platform !== 'linux';
    const owners = ownersOf(table, peer, own);
    if (owners.length > 0) return owners.every((uid) => uid === 0 || uid === process.geteuid?.());
  }
  return false;
}

async function readTables(): Promise<string | null> {
  const [ipv4, ipv6] = await Promise.all([readIfExists(tables.ipv4), readIfExists(tables.ipv6)]);
  return ipv4 === null ? null : ipv4 + (ipv6 ?? '');
}

function readIfExists(path: string): Promise<string | null> {
  return readFile(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

interface End {
  readonly address: string;
  readonly port: number;
}

/** Returns the user IDs of the sockets that are connected from `local` to `remote`. */
export function ownersOf(table: string, local: End, remote: End): number[] {
  // A socket for IPv6 has an IPv4 connection with mapped addresses, whatever the socket at the other end is for.
  const forms = ['', '::ffff:'].map((prefix) => `: ${rowForm(local, prefix)} ${rowForm(remote, prefix)} `);
  return table
    .split('\n')
    .filter((row) => forms.some((form) => row.includes(form)))
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , , , , , , , inode]) => inode !== '0') // closed by its program: the row has root as its user
    .map(([, , , , , , , uid]) => Number(uid));
}

/** Writes an end as in the table: `0100007F:20E4`. The address has the byte order of the machine in each 32 bits. */
function rowForm({ address, port }: End, prefix: string): string {
  const plain = plainAddress(address) ?? '';
  const words = hexOf(plain.includes(':') ? plain : prefix + plain).match(/.{8}/g) ?? [];
  const ordered = words.map((word) =>
    endianness() === 'BE' ? word : Buffer.from(word, 'hex').reverse().toString('hex'),
  );
  return `${ordered.join('')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}
