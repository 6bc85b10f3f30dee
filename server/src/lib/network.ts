import { BlockList, isIP } from 'node:net';

/** Matches an address with a port, as some proxies send it: `192.0.2.1:50123`, `[2001:db8::1]:50123`. */
const withPort = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/** Returns true for an IPv4 or IPv6 address without a port. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/** Returns true for an address, or for a CIDR network such as `10.0.0.0/8` whose host bits are all zero. */
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
  // The URL parser converts an IPv4 suffix, as in `::ffff:192.0.2.1`, to hexadecimal groups.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/** Returns the bytes of an address in hexadecimal: 8 digits for IPv4, 32 for IPv6. */
export function hexOf(address: string): string {
  return numberOf(address)
    .toString(16)
    .padStart(isIP(address) === 6 ? 32 : 8, '0');
}

/**
 * Returns true if the networks together cover more than 1/128 of the IPv4 or of the IPv6 addresses. The private
 * networks do not exceed that: 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16 together, or fc00::/7.
 */
export function areTooWide(networks: readonly string[]): boolean {
  return [4, 6].some((family) => {
    const width = family === 6 ? 128n : 32n;
    const ranges = networks
      .filter((network) => isIP(network.split('/')[0] ?? '') === family)
      .map((network) => {
        const [address = '', bits] = network.split('/');
        const first = numberOf(address);
        return { first, end: first + (1n << (width - BigInt(bits ?? width))) };
      })
      .sort((one, other) => (one.first < other.first ? -1 : 1));
    let covered = 0n;
    let coveredTo = 0n;
    for (const { first, end } of ranges) {
      const from = first > coveredTo ? first : coveredTo;
      if (end > from) covered += end - from;
      if (end > coveredTo) coveredTo = end;
    }
    return covered * 128n > 1n << width;
  });
}

/** Builds the list for `isInside` from addresses and CIDR networks, such as `10.0.0.0/8`. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return list;
}

/** The first 96 bits of IPv6 addresses that contain an IPv4 address: `::ffff:0:0/96` and NAT64, `64:ff9b::/96`. */
const mappedIpv4 = 0xffffn;
const nat64 = 0x64ff9bn << 64n;

/** Returns the IPv4 address in the last 32 bits of an IPv6 address with the prefix; null if the prefix differs. */
function ipv4Within(address: string, prefix: bigint): string | null {
  const number = numberOf(address);
  if (number >> 32n !== prefix) return null;
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
}

/**
 * Returns the key by which rate limits and throttles group addresses. All addresses of an IPv6 /64 network have one
 * key, because one household or host usually has a whole /64. The key of a /64 is not a valid IPv6 notation.
 */
export function sourceOf(address: string): string {
  const plain = plainAddress(address) ?? address;
  if (isIP(plain) !== 6) return plain;
  const translated = ipv4Within(plain, nat64);
  if (translated !== null) return translated;
  return `${(numberOf(plain) >> 64n).toString(16)}::/64`;
}

const loopback = networkList(['127.0.0.0/8', '::1']);

export function isLoopback(address: string): boolean {
  return isInside(address, loopback);
}

/** Returns the address without port and zone, and an IPv4-mapped address as IPv4; null if the text is no address. */
export function plainAddress(text: string): string | null {
  const parts = withPort.exec(text);
  const plain = (parts?.[1] ?? parts?.[2] ?? text).replace(/%.*$/, '');
  if (isIP(plain) !== 6) return isIP(plain) === 0 ? null : plain;
  return ipv4Within(plain, mappedIpv4) ?? plain;
}

export function isInside(address: string, list: BlockList): boolean {
  const plain = plainAddress(address);
  return plain !== null && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** Returns the URL for audit rows and events. `/…` replaces path and query, which may contain a receiver's secret. */
export function urlForAudit(text: string): string {
  const { origin, pathname, search } = new URL(text);
  return pathname + search === '/' ? origin : `${origin}/…`;
}
