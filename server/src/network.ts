import { BlockList, isIP } from 'node:net';

/** An address with a port, as some proxies write it: `192.0.2.1:50123`, `[2001:db8::1]:50123`. */
const withPort = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/** An address without a port. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0;
}

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

/**
 * True when the networks together cover more than 1/128 of the IPv4 or of the IPv6 addresses. Private networks are
 * below that: 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16 together, or fc00::/7.
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

/** The first 96 bits of IPv6 addresses that stand for an IPv4 address: over an IPv6 socket, and behind NAT64. */
const mappedIpv4 = 0xffffn;
const nat64 = 0x64ff9bn << 64n;

/** The IPv4 address in the last 32 bits of an IPv6 address that begins with the prefix; null for any other. */
function ipv4Within(address: string, prefix: bigint): string | null {
  const number = numberOf(address);
  if (number >> 32n !== prefix) return null;
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
}

/** Where a call comes from, as far as one household has one: an IPv6 network of 64 bits is one source. */
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

/** The address without port and zone; an IPv4 address that came over an IPv6 socket is the IPv4 address. */
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
