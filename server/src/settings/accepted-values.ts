import { isValidKeyPair, readKeyPair } from '../lib/secrets.ts';

// Checks of the values of settings, and functions that mask their secrets.

/** Accepts the URLs that the client package accepts. */
export function isServiceUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && !username && !password && !search && !hash;
}

/** Accepts the exact value of an `Origin` header. `null` is not one: any page can send it from a sandboxed frame. */
export function isOrigin(value: string): boolean {
  return /^https?:\/\/[^*]+$/.test(value) && URL.canParse(value) && new URL(value).origin === value;
}

export function isDatabaseUrl(value: string): boolean {
  return URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol);
}

export function isSmtpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(value);
  const hasNoPath = ['', '/'].includes(pathname) && hash === '';
  return /^smtps?:$/.test(protocol) && hostname !== '' && hasNoPath && ['', '?starttls=off'].includes(search);
}

/** Accepts one address, alone or in angle brackets after a name. No character may end the header or the address. */
export function isSender(value: string): boolean {
  const address = /^[^\s<>@,;:"()[\]\\]+@[^\s<>@,;:"()[\]\\]+$/;
  const [, name = '', bracketed = value] = /^([^<>"@]{1,100}) <([^<>]+)>$/.exec(value) ?? [];
  return value.length <= 320 && address.test(bracketed) && !/\p{Cc}/u.test(name);
}

export function maskUrl(value: string): string {
  const url = new URL(value);
  if (url.password !== '') url.password = '********';
  for (const name of url.searchParams.keys()) {
    if (/password/i.test(name)) url.searchParams.set(name, '********');
  }
  return url.toString();
}

export function isPair(value: string): boolean {
  const pair = readKeyPair(value);
  return pair !== null && isValidKeyPair(pair);
}

export function maskPair(value: string): string {
  return `${readKeyPair(value)?.publicKey}.********`;
}
