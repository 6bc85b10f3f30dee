import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readMasterKey } from '../../src/core/sealing/master-key.ts';
import { open, seal, Vault } from '../../src/core/sealing/vault.ts';

const key = randomBytes(32);
const text = Buffer.from('correct horse battery staple');

describe('what is sealed', () => {
  it('opens with its key and its words', () => {
    for (const plain of [text, Buffer.alloc(0), randomBytes(100_000)]) {
      expect(open(seal(plain, key, 'about this'), key, 'about this')).toEqual(plain);
      expect(open(seal(plain, key, ''), key, '')).toEqual(plain);
    }
  });

  it('does not show what it is, and is never the same twice', () => {
    const [one, other] = [seal(text, key, 'about this'), seal(text, key, 'about this')];
    expect(one.equals(other)).toBe(false);
    expect(one.includes(text.subarray(0, 4))).toBe(false);
    expect(one).toHaveLength(12 + text.length + 16);
  });

  it('opens with no other key and no other words', () => {
    const sealed = seal(text, key, 'job 1');
    expect(() => open(sealed, randomBytes(32), 'job 1')).toThrow();
    for (const words of ['job 2', 'job', 'job 1 ', '']) expect(() => open(sealed, key, words)).toThrow();
  });

  it('does not open once a single bit of it was changed, nor cut or lengthened', () => {
    const sealed = seal(text, key, 'about this');
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => open(changed, key, 'about this')).toThrow();
    }
    for (let length = 0; length < sealed.length; length++)
      expect(() => open(sealed.subarray(0, length), key, 'about this')).toThrow();
    expect(() => open(Buffer.concat([sealed, Buffer.alloc(1)]), key, 'about this')).toThrow();
  });
});

describe('the vault', () => {
  const masterKey = randomBytes(32);
  const vault = new Vault(masterKey);

  it('gives every job a key of its own, which opens again for that job alone', () => {
    const { key: first, wrapped } = vault.newJobKey('job 1');
    const { key: second } = vault.newJobKey('job 1');
    expect(first).toHaveLength(32);
    expect(first.equals(second)).toBe(false);
    expect(wrapped.includes(first)).toBe(false);
    expect(vault.openJobKey(wrapped, 'job 1')).toEqual(first);
    expect(new Vault(masterKey).openJobKey(wrapped, 'job 1')).toEqual(first);
    expect(() => vault.openJobKey(wrapped, 'job 2')).toThrow();
    expect(() => new Vault(randomBytes(32)).openJobKey(wrapped, 'job 1')).toThrow();
  });

  it('gives the same fingerprint for the same text, and another under another key', () => {
    const fingerprint = (of: Vault, body: string) => of.newFingerprint().update(body).digest('hex');
    expect(fingerprint(vault, 'body')).toBe(fingerprint(new Vault(masterKey), 'body'));
    expect(fingerprint(vault, 'body')).not.toBe(fingerprint(vault, 'body '));
    expect(fingerprint(vault, 'body')).not.toBe(fingerprint(new Vault(randomBytes(32)), 'body'));
  });

  it('has an identity that tells keys apart and shows nothing of them', () => {
    expect(new Vault(masterKey).identity).toEqual(vault.identity);
    expect(new Vault(randomBytes(32)).identity).not.toEqual(vault.identity);
    expect(vault.identity.includes(masterKey)).toBe(false);
    const { wrapped } = vault.newJobKey('job 1');
    expect(() => open(wrapped, vault.identity, 'job 1')).toThrow();
    expect(() => open(wrapped, masterKey, 'job 1')).toThrow();
  });

  it.each([0, 16, 31, 33, 64])('is not made of a key of %d bytes', (bytes) => {
    expect(() => new Vault(Buffer.alloc(bytes))).toThrow('32 bytes');
  });
});

describe('the text of a master key', () => {
  // Its base64 has both of the characters that the alphabets do not share.
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
      expect(readMasterKey(form)).toEqual(bytes);
  });

  it.each([
    ['nothing', ''],
    ['31 bytes', Buffer.alloc(31, 1).toString('base64')],
    ['33 bytes', Buffer.alloc(33, 1).toString('base64')],
    ['16 bytes of hexadecimal', 'ab'.repeat(16)],
    ['a password', 'correct horse battery staple'],
    ['both alphabets', `+_${bytes.toString('hex').slice(0, 41)}=`],
    ['a space before it', ` ${bytes.toString('base64')}`],
    ['a line after it', `${bytes.toString('base64')}\n`],
    ['two marks of padding', `${bytes.toString('base64')}=`],
    ['63 digits and a letter', `${'0'.repeat(63)}g`],
  ])('is not read where it is %s', (_, form) => {
    expect(readMasterKey(form)).toBeNull();
  });
});
