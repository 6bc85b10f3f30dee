import { BlockList, isIP } from 'node:net';

const mappedIpv4 = /^::ffff:(?=\d+\.)/i;
/** An address with a port, as some proxies write it: `192.0.2.1:50123`, `[2001:db8::1]:50123`. */
const withPort = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/** An address, or a network such as `10.0.0.0/8`, whose address has nothing beyond the bits that count. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return false;
  if (bits === undefined) return true;
  const width = isIP(address) === 6 ? 128 : 32;
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > width) return false;
  return numberOf(address) % (1n << BigInt(width - Number(bits))) === 0n;
}

function numberOf(address: string): bigint {
  if (isIP(address) === 4) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  // The URL parser writes an address with an IPv4 tail in groups alone.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/** Addresses and networks, such as `10.0.0.0/8`, as a list that can be asked. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return list;
}

/** Where a call comes from, as far as one household has one: an IPv6 network of 64 bits is one source. */
export function sourceOf(address: string): string {
  const plain = plainAddress(address) ?? address;
  if (isIP(plain) !== 6) return plain;
  return `${(numberOf(plain) >> 64n).toString(16)}::/64`;
}

const loopback = networkList(['127.0.0.0/8', '::1']);

export function isLoopback(address: string): boolean {
  return isInside(address, loopback);
}

/** The address without port and zone; an IPv4 address that came over an IPv6 socket is the IPv4 address. */
export function plainAddress(text: string): string | null {
  const parts = withPort.exec(text);
  const plain = (parts?.[1] ?? parts?.[2] ?? text).replace(mappedIpv4, '').replace(/%.*$/, '');
  return isIP(plain) === 0 ? null : plain;
}

export function isInside(address: string, list: BlockList): boolean {
  const plain = plainAddress(address);
  return plain !== null && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}
