import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  digestOf,
  hasTrueChecksum,
  isFitPair,
  isSameDigest,
  newPublicKey,
  newSecret,
  readKeyPair,
} from '../../src/core/access/keys.ts';

describe('a new secret', () => {
  it('has a recognisable prefix, room for 256 bits and a checksum', () => {
    for (let n = 0; n < 100; n++) {
      const secret = newSecret();
      expect(secret).toMatch(/^ags_[0-9A-Za-z]{49}$/);
      expect(hasTrueChecksum(secret)).toBe(true);
    }
  });

  it('is never given out twice, and uses the whole alphabet', () => {
    const secrets = Array.from({ length: 500 }, newSecret);
    expect(new Set(secrets).size).toBe(500);
    expect(new Set(secrets.map((secret) => secret.slice(4)).join('')).size).toBe(62);
  });

  it('is told from one with a slip of the keyboard', () => {
    const secret = newSecret();
    for (let at = 4; at < secret.length; at++) {
      const slip = secret.slice(0, at) + (secret[at] === 'a' ? 'b' : 'a') + secret.slice(at + 1);
      expect(hasTrueChecksum(slip)).toBe(false);
    }
    const [one, two] = [secret.charAt(10), secret.charAt(11)];
    const swapped = secret.slice(0, 10) + two + one + secret.slice(12);
    expect(hasTrueChecksum(swapped)).toBe(one === two);
    expect(hasTrueChecksum(secret.slice(0, -1))).toBe(false);
    expect(hasTrueChecksum('')).toBe(false);
    expect(hasTrueChecksum('ags_')).toBe(false);
  });
});

describe('a new public key', () => {
  it('has a prefix of its own and is never given out twice', () => {
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

  it('is compared as a whole', () => {
    expect(isSameDigest(digestOf('a'), digestOf('a'))).toBe(true);
    expect(isSameDigest(digestOf('a'), digestOf('b'))).toBe(false);
    expect(isSameDigest(digestOf('a'), digestOf('a').subarray(0, 31))).toBe(false);
  });
});

describe('a pair of keys', () => {
  it('is read at the first dot', () => {
    expect(readKeyPair('public.secret')).toEqual({ publicKey: 'public', secret: 'secret' });
    expect(readKeyPair('public.sec.ret')).toEqual({ publicKey: 'public', secret: 'sec.ret' });
    expect(readKeyPair('.')).toEqual({ publicKey: '', secret: '' });
    expect(readKeyPair('no dot')).toBeNull();
    expect(readKeyPair('')).toBeNull();
  });

  it('that an operator made is fit when it is long enough and plain', () => {
    const secret = 'x'.repeat(32);
    expect(isFitPair({ publicKey: 'erp_1', secret })).toBe(true);
    expect(isFitPair({ publicKey: 'erp', secret })).toBe(false);
    expect(isFitPair({ publicKey: 'e r p 1', secret })).toBe(false);
    expect(isFitPair({ publicKey: 'x'.repeat(65), secret })).toBe(false);
    expect(isFitPair({ publicKey: 'erp_1', secret: secret.slice(1) })).toBe(false);
    expect(isFitPair({ publicKey: 'erp_1', secret: `${secret}\n` })).toBe(false);
    expect(isFitPair({ publicKey: 'erp_1', secret: 'x'.repeat(257) })).toBe(false);
  });

  it('that this service made is fit only with its true checksum', () => {
    const secret = newSecret();
    expect(isFitPair({ publicKey: newPublicKey(), secret })).toBe(true);
    const slip = secret.slice(0, 20) + (secret[20] === 'a' ? 'b' : 'a') + secret.slice(21);
    expect(isFitPair({ publicKey: newPublicKey(), secret: slip })).toBe(false);
  });
});
