import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  digestOf,
  hasValidChecksum,
  isSameDigest,
  isValidKeyPair,
  newPublicKey,
  newSecret,
  readKeyPair,
} from '../../src/lib/secrets.ts';

describe('a new secret', () => {
  it('has a prefix, 49 characters and a valid checksum', () => {
    for (let n = 0; n < 100; n++) {
      const secret = newSecret();
      expect(secret).toMatch(/^ags_[0-9A-Za-z]{49}$/);
      expect(hasValidChecksum(secret)).toBe(true);
    }
  });

  it('is unique and uses the whole alphabet', () => {
    const secrets = Array.from({ length: 500 }, newSecret);
    expect(new Set(secrets).size).toBe(500);
    expect(new Set(secrets.map((secret) => secret.slice(4)).join('')).size).toBe(62);
  });

  it('has an invalid checksum after a typing error', () => {
    const secret = newSecret();
    for (let at = 4; at < secret.length; at++) {
      const mistyped = secret.slice(0, at) + (secret[at] === 'a' ? 'b' : 'a') + secret.slice(at + 1);
      expect(hasValidChecksum(mistyped)).toBe(false);
    }
    const [one, two] = [secret.charAt(10), secret.charAt(11)];
    const swapped = secret.slice(0, 10) + two + one + secret.slice(12);
    expect(hasValidChecksum(swapped)).toBe(one === two);
    expect(hasValidChecksum(secret.slice(0, -1))).toBe(false);
    expect(hasValidChecksum('')).toBe(false);
    expect(hasValidChecksum('ags_')).toBe(false);
  });
});

describe('a new public key', () => {
  it('has its own prefix and is unique', () => {
    const keys = Array.from({ length: 200 }, newPublicKey);
    for (const key of keys) expect(key).toMatch(/^agp_[0-9A-Za-z]{16}$/);
    expect(new Set(keys).size).toBe(200);
  });
});

describe('the digest of a secret', () => {
  it('is its SHA-256', () => {
    expect(digestOf('abc').toString('hex')).toBe(createHash('sha256').update('abc').digest('hex'));
    expect(digestOf('abc').toString('hex')).toMatch(/^ba7816bf/);
  });

  it('is compared with all of its bytes', () => {
    expect(isSameDigest(digestOf('a'), digestOf('a'))).toBe(true);
    expect(isSameDigest(digestOf('a'), digestOf('b'))).toBe(false);
    expect(isSameDigest(digestOf('a'), digestOf('a').subarray(0, 31))).toBe(false);
  });
});

describe('a key pair', () => {
  it('is split at the first dot', () => {
    expect(readKeyPair('public.secret')).toEqual({ publicKey: 'public', secret: 'secret' });
    expect(readKeyPair('public.sec.ret')).toEqual({ publicKey: 'public', secret: 'sec.ret' });
    expect(readKeyPair('.')).toEqual({ publicKey: '', secret: '' });
    expect(readKeyPair('no dot')).toBeNull();
    expect(readKeyPair('')).toBeNull();
  });

  it('of an operator is valid if its length and characters are allowed', () => {
    const secret = 'x'.repeat(32);
    expect(isValidKeyPair({ publicKey: 'erp_1', secret })).toBe(true);
    expect(isValidKeyPair({ publicKey: 'erp', secret })).toBe(false);
    expect(isValidKeyPair({ publicKey: 'e r p 1', secret })).toBe(false);
    expect(isValidKeyPair({ publicKey: 'x'.repeat(65), secret })).toBe(false);
    expect(isValidKeyPair({ publicKey: 'erp_1', secret: secret.slice(1) })).toBe(false);
    expect(isValidKeyPair({ publicKey: 'erp_1', secret: `${secret}\n` })).toBe(false);
    expect(isValidKeyPair({ publicKey: 'erp_1', secret: 'x'.repeat(257) })).toBe(false);
  });

  it('of the service is valid only with a valid checksum', () => {
    const secret = newSecret();
    expect(isValidKeyPair({ publicKey: newPublicKey(), secret })).toBe(true);
    const mistyped = secret.slice(0, 20) + (secret[20] === 'a' ? 'b' : 'a') + secret.slice(21);
    expect(isValidKeyPair({ publicKey: newPublicKey(), secret: mistyped })).toBe(false);
  });
});
