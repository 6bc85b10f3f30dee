import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const publicPrefix = 'agp_';
const secretPrefix = 'ags_';
const tokenPrefix = 'agt_';
const refreshPrefix = 'agr_';
const consolePrefix = 'agc_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const checksumLength = 6;
const givenPublic = /^[A-Za-z0-9_-]{4,64}$/;
const givenSecret = /^[A-Za-z0-9_-]{32,256}$/;

export interface KeyPair {
  readonly publicKey: string;
  readonly secret: string;
}

export function newPublicKey(): string {
  return publicPrefix + base62(randomBytes(12), 16);
}

/** 256 random bits behind a prefix that secret scanners can recognise, and a checksum that tells a typing slip. */
export function newSecret(): string {
  return randomKey(secretPrefix);
}

/** Of a signed-in user. */
export function newAccessToken(): string {
  return randomKey(tokenPrefix);
}

/** What the next pair of tokens is got with. */
export function newRefreshToken(): string {
  return randomKey(refreshPrefix);
}

/** Of whoever is signed in at the console. */
export function newConsoleToken(): string {
  return randomKey(consolePrefix);
}

function randomKey(prefix: string): string {
  const body = base62(randomBytes(32), 43);
  return prefix + body + checksum(body);
}

/** Only the digest of a secret is kept. A fast hash is enough: there is nothing to guess in 256 random bits. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function isSameDigest(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** `<public>.<secret>`, as in an `Authorization: Bearer` header. */
export function readKeyPair(text: string): KeyPair | null {
  const dot = text.indexOf('.');
  if (dot < 0) return null;
  return { publicKey: text.slice(0, dot), secret: text.slice(dot + 1) };
}

/** An access token of ours; null for what cannot be one. */
export function readAccessToken(text: string): { accessToken: string } | null {
  return text.startsWith(tokenPrefix) ? { accessToken: text } : null;
}

/** True for the form of a public key. PostgreSQL refuses some other texts with an error, such as one with NUL. */
export function isPublicKey(text: string): boolean {
  return givenPublic.test(text);
}

/** Whether a pair that an operator made is fit to be the first client's. */
export function isFitPair(pair: KeyPair): boolean {
  if (!givenPublic.test(pair.publicKey) || !givenSecret.test(pair.secret)) return false;
  return !pair.secret.startsWith(secretPrefix) || hasTrueChecksum(pair.secret);
}

/** Whether a secret of ours was copied without a slip. */
export function hasTrueChecksum(secret: string): boolean {
  const body = secret.slice(secretPrefix.length, -checksumLength);
  return secret.endsWith(checksum(body));
}

function checksum(body: string): string {
  return base62(createHash('sha256').update(body).digest().subarray(0, 4), checksumLength);
}

function base62(bytes: Uint8Array, length: number): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (text.length < length) {
    text = alphabet.charAt(Number(number % 62n)) + text;
    number /= 62n;
  }
  return text;
}
