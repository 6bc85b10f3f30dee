import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decrypt, encrypt, newKey } from '../../src/encryption/cipher.ts';
import { KeyRing, readMasterKeys } from '../../src/encryption/key-ring.ts';

const key = randomBytes(32);
const text = Buffer.from('correct horse battery staple');

describe('an encrypted text', () => {
  it('is decrypted with the same key and context', () => {
    for (const plain of [text, Buffer.alloc(0), randomBytes(100_000)]) {
      expect(decrypt(encrypt(plain, key, 'about this'), key, 'about this')).toEqual(plain);
      expect(decrypt(encrypt(plain, key, ''), key, '')).toEqual(plain);
    }
  });

  it('does not contain the plain text, and differs each time', () => {
    const [one, other] = [encrypt(text, key, 'about this'), encrypt(text, key, 'about this')];
    expect(one.equals(other)).toBe(false);
    expect(one.includes(text.subarray(0, 4))).toBe(false);
    expect(one).toHaveLength(12 + text.length + 16);
  });

  it('is not decrypted with another key or another context', () => {
    const encrypted = encrypt(text, key, 'job 1');
    expect(() => decrypt(encrypted, randomBytes(32), 'job 1')).toThrow();
    for (const context of ['job 2', 'job', 'job 1 ', ''])
      expect(() => decrypt(encrypted, key, context)).toThrow();
  });

  it('is not decrypted after a bit was changed, removed or added', () => {
    const encrypted = encrypt(text, key, 'about this');
    for (let at = 0; at < encrypted.length; at++) {
      const changed = Buffer.from(encrypted);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => decrypt(changed, key, 'about this')).toThrow();
    }
    for (let length = 0; length < encrypted.length; length++)
      expect(() => decrypt(encrypted.subarray(0, length), key, 'about this')).toThrow();
    expect(() => decrypt(Buffer.concat([encrypted, Buffer.alloc(1)]), key, 'about this')).toThrow();
  });
});

describe('the key ring', () => {
  const masterKey = randomBytes(32);
  const keyRing = new KeyRing(masterKey);

  it('creates a new key for every job, which it unwraps only for that job', () => {
    const [first, second] = [newKey(), newKey()];
    const wrapped = keyRing.wrapJobKey(first, 'job 1');
    expect(first).toHaveLength(32);
    expect(first.equals(second)).toBe(false);
    expect(wrapped.includes(first)).toBe(false);
    expect(keyRing.openJobKey(wrapped, 'job 1')).toEqual(first);
    expect(new KeyRing(masterKey).openJobKey(wrapped, 'job 1')).toEqual(first);
    expect(() => keyRing.openJobKey(wrapped, 'job 2')).toThrow();
    expect(() => new KeyRing(randomBytes(32)).openJobKey(wrapped, 'job 1')).toThrow();
  });

  it('computes the same fingerprint for the same text, and a different one with another key', () => {
    const fingerprint = (of: KeyRing, body: string) =>
      of.newFingerprint().update(body).digests()[0]?.toString('hex');
    expect(fingerprint(keyRing, 'body')).toBe(fingerprint(new KeyRing(masterKey), 'body'));
    expect(fingerprint(keyRing, 'body')).not.toBe(fingerprint(keyRing, 'body '));
    expect(fingerprint(keyRing, 'body')).not.toBe(fingerprint(new KeyRing(randomBytes(32)), 'body'));
  });

  it('has an identity that differs by master key and does not reveal it', () => {
    expect(new KeyRing(masterKey).identity).toEqual(keyRing.identity);
    expect(new KeyRing(randomBytes(32)).identity).not.toEqual(keyRing.identity);
    expect(keyRing.identity.includes(masterKey)).toBe(false);
    const wrapped = keyRing.wrapJobKey(newKey(), 'job 1');
    expect(() => decrypt(wrapped, keyRing.identity, 'job 1')).toThrow();
    expect(() => decrypt(wrapped, masterKey, 'job 1')).toThrow();
  });

  it.each([0, 16, 31, 33, 64])('refuses a master key of %d bytes', (bytes) => {
    expect(() => new KeyRing(Buffer.alloc(bytes))).toThrow('32 bytes');
  });
});

describe('the text of a master key', () => {
  // The base64 form of these bytes has both characters that differ between base64 and base64url.
  const bytes = Buffer.from('fbff'.repeat(16), 'hex');

  it('is read in hexadecimal, base64 and base64url, with or without its padding', () => {
    for (const form of [
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      bytes.toString('base64'),
      bytes.toString('base64').replace('=', ''),
      bytes.toString('base64url'),
      `${bytes.toString('base64url')}=`,
    ])
      expect(readMasterKeys(form)).toEqual([bytes]);
  });

  it.each([
    ['empty', ''],
    ['31 bytes', Buffer.alloc(31, 1).toString('base64')],
    ['33 bytes', Buffer.alloc(33, 1).toString('base64')],
    ['16 bytes of hexadecimal', 'ab'.repeat(16)],
    ['a password', 'correct horse battery staple'],
    ['both alphabets', `+_${bytes.toString('hex').slice(0, 41)}=`],
    ['a space before it', ` ${bytes.toString('base64')}`],
    ['a line after it', `${bytes.toString('base64')}\n`],
    ['two marks of padding', `${bytes.toString('base64')}=`],
    ['63 digits and a letter', `${'0'.repeat(63)}g`],
  ])('is refused if it is %s', (_, form) => {
    expect(readMasterKeys(form)).toBeNull();
  });
});
