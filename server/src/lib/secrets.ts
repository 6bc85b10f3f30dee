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

/** Creates the secret of an API client. */
export function newSecret(): string {
  return randomKey(secretPrefix);
}

export function newAccessToken(): string {
  return randomKey(tokenPrefix);
}

export function newRefreshToken(): string {
  return randomKey(refreshPrefix);
}

export function newConsoleToken(): string {
  return randomKey(consolePrefix);
}

/** 256 random bits in base 62, after a prefix for secret scanners and before a checksum that detects typing errors. */
function randomKey(prefix: string): string {
  const body = base62(randomBytes(32), 43);
  return prefix + body + checksum(body);
}

/** Only the digest of a secret is stored. SHA-256 without salt is enough: 256 random bits cannot be guessed. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function isSameDigest(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Splits `<public>.<secret>` from an `Authorization: Bearer` header; null if the text has no dot. */
export function readKeyPair(text: string): KeyPair | null {
  const dot = text.indexOf('.');
  if (dot < 0) return null;
  return { publicKey: text.slice(0, dot), secret: text.slice(dot + 1) };
}

/** Returns null if the text does not have the prefix of an access token. */
export function readAccessToken(text: string): { accessToken: string } | null {
  return text.startsWith(tokenPrefix) ? { accessToken: text } : null;
}

/** Checks the syntax of a public key. A query needs this check, because PostgreSQL rejects texts that contain NUL. */
export function isPublicKey(text: string): boolean {
  return givenPublic.test(text);
}

/** Checks that a text has the form `<public>.<secret>` with the characters of keys. Any other file or text fails this. */
export function isKeyPair(text: string): boolean {
  return /^[A-Za-z0-9_-]{4,64}\.[A-Za-z0-9_-]+$/.test(text);
}

/** Checks the syntax of a key pair that the operator configures for the first client. */
export function isValidKeyPair(pair: KeyPair): boolean {
  if (!givenPublic.test(pair.publicKey) || !givenSecret.test(pair.secret)) return false;
  return !pair.secret.startsWith(secretPrefix) || hasValidChecksum(pair.secret);
}

/** Verifies the checksum of a secret from `newSecret`; false if it was mistyped or truncated. */
export function hasValidChecksum(secret: string): boolean {
  const body = secret.slice(secretPrefix.length, -checksumLength);
  return secret.endsWith(checksum(body));
}

function checksum(body: string): string {
  return base62(createHash('sha256').update(body).digest().subarray(0, 4), checksumLength);
}

function base62(bytes: Uint8Array, length: number): string {
  return inAlphabet(bytes, alphabet, length);
}

/** Returns the number that the bytes represent, with the characters of the alphabet as digits. */
export function inAlphabet(bytes: Uint8Array, characters: string, length: number): string {
  const base = BigInt(characters.length);
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (text.length < length) {
    text = characters.charAt(Number(number % base)) + text;
    number /= base;
  }
  return text;
}
