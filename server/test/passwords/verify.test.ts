import { setImmediate as turn } from 'node:timers/promises';
import { verifyPassword } from '@anagrafe/testing/verify-password';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldErrors } from '../../src/lib/field-errors.ts';
import { HashPool } from '../../src/passwords/hash-pool.ts';
import { needsRehash } from '../../src/passwords/hash-work.ts';
import { readPasswordHash } from '../../src/passwords/imported-hash-cost.ts';
import { sentence, vectors } from './vectors.ts';

describe('a password', () => {
  it.each(vectors)('is verified against %s', async (_, password, hash) => {
    expect(await verifyPassword(password, hash)).toBe(true);
    expect(await verifyPassword(`${password}.`, hash)).toBe(false);
  });

  it('is verified against a hash of the service at any cost', async () => {
    const pool = new HashPool({ concurrency: 1, memoryKib: 300_000, passes: 1, maxWaitSeconds: 60 });
    const hash = await pool.hashOne(sentence, 'a');
    expect(await verifyPassword(sentence, hash)).toBe(true);
    expect(await verifyPassword(sentence.toUpperCase(), hash)).toBe(false);
  });

  it('may contain any characters without an error', async () => {
    for (const [, , hash] of vectors.filter(([name]) =>
      /^(argon2i|bcrypt 2b|ASP.NET Identity v2)$/.test(name),
    )) {
      for (const password of ['', '\0', `${sentence}\0`, '\ud800', '🦊'.repeat(128)]) {
        expect(await verifyPassword(password, hash)).toBe(false);
      }
    }
  });

  it('is refused if it contains NUL, which could make it equal to another one', async () => {
    for (const [, password, hash] of vectors.filter(([, , text]) =>
      /^(\$2a\$05|AAAB|.argon2i\$v=19)/.test(text),
    )) {
      expect(await verifyPassword(password, hash)).toBe(true);
      for (const other of [`${password}\0`, `${password}\0${password}`, `\0${password}`]) {
        expect(await verifyPassword(other, hash)).toBe(false);
      }
    }
  });

  it('causes an error without the hash if the hash is invalid', async () => {
    for (const hash of ['', 'password', '$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW']) {
      const failure = await verifyPassword('password', hash).catch((error: Error) => error);
      expect(failure).toBeInstanceOf(Error);
      if (hash.startsWith('$')) expect(String(failure)).not.toContain(hash);
    }
  });

  it('is verified without blocking the event loop', async () => {
    const slow = `$pbkdf2-sha512$i=300000$AAECAwQFBgcICQoLDA0ODw$${'A'.repeat(86)}`;
    let done = false;
    let turns = 0;
    const verified = verifyPassword(sentence, slow).finally(() => {
      done = true;
    });
    while (!done) {
      await turn();
      turns++;
    }
    expect(await verified).toBe(false);
    // On the main thread, the verification would end after one turn of the event loop.
    expect(turns).toBeGreaterThan(10);
  });
});

describe('a password for bcrypt', () => {
  const openwall = '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui';
  const letters = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

  it('is truncated to 72 bytes', async () => {
    expect(letters).toHaveLength(72);
    expect(await verifyPassword(`${letters}chars after 72 are ignored as usual`, openwall)).toBe(true);
    expect(await verifyPassword(`${letters}x`, openwall)).toBe(true);
    expect(await verifyPassword(letters, openwall)).toBe(true);
    expect(await verifyPassword(letters.slice(0, 71), openwall)).toBe(false);
    expect(await verifyPassword(`${letters.slice(0, 71)}x`, openwall)).toBe(false);
  });

  it('is truncated to 72 bytes even within a character', async () => {
    const hash = '$2b$10$abcdefghijklmnopqrstuumFhEmcxUXiwhDiojXaXK4Xo1h7jh9MS';
    const cut = `${'è'.repeat(35)}xèy`;
    expect(await verifyPassword(cut, hash)).toBe(true);
    expect(await verifyPassword(`${'è'.repeat(35)}xé`, hash)).toBe(true);
    expect(await verifyPassword(`${'è'.repeat(35)}xy`, hash)).toBe(false);
    expect(await verifyPassword(`${'è'.repeat(35)}x`, hash)).toBe(false);
  });
});

describe('an imported hash that is accepted', () => {
  const bytes = (minLength: number, maxLength: number) =>
    fc.uint8Array({ minLength, maxLength }).map((array) => Buffer.from(array));
  const unpadded = (buffer: Buffer) => buffer.toString('base64').replaceAll('=', '');
  const adapted = (buffer: Buffer) => unpadded(buffer).replaceAll('+', '.');
  const salt = bytes(7, 66);
  const key = fc.oneof(bytes(15, 66), bytes(20, 20), bytes(32, 32), bytes(64, 64));
  const iterations = fc.integer({ min: 9990, max: 10_300 });
  const digest = fc.constantFrom('', '-sha1', '-sha256', '-sha512');
  const bcryptLetters = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const bcryptText = (length: number) =>
    fc.string({ unit: fc.constantFrom(...bcryptLetters), minLength: length, maxLength: length });

  const wellFormed = {
    argon2: fc
      .tuple(
        fc.constantFrom('argon2id', 'argon2i'),
        fc.constantFrom(16, 19),
        fc.integer({ min: 4090, max: 4500 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 18 }),
        salt,
        key,
      )
      .map(
        ([name, v, m, t, p, s, k]) => `$${name}$v=${v}$m=${m},t=${t},p=${p}$${unpadded(s)}$${unpadded(k)}`,
      ),
    bcrypt: fc
      .tuple(
        fc.constantFrom('2a', '2b', '2y', '2x'),
        fc.constantFrom('07', '08'),
        bcryptText(21),
        fc.constantFrom('.', 'O', 'e', 'u', 'v'),
        bcryptText(30),
        fc.constantFrom('.', 'C', 'y', '6', '7'),
      )
      .map(([mark, cost, a, b, c, d]) => `$${mark}$${cost}$${a}${b}${c}${d}`),
    phc: fc
      .tuple(digest, iterations, fc.boolean(), salt, key)
      .map(
        ([d, i, l, s, k]) => `$pbkdf2${d}$i=${i}${l ? `,l=${k.length}` : ''}$${unpadded(s)}$${unpadded(k)}`,
      ),
    passlib: fc
      .tuple(digest, iterations, salt, key)
      .map(([d, i, s, k]) => `$pbkdf2${d}$${i}$${adapted(s)}$${adapted(k)}`),
    django: fc
      .tuple(fc.constantFrom('sha1', 'sha256', 'sha512'), iterations, fc.string({ minLength: 7 }), key)
      .map(([d, i, s, k]) => `pbkdf2_${d}$${i}$${s}$${k.toString('base64')}`),
    identity: fc
      .tuple(fc.integer({ min: 0, max: 3 }), iterations, fc.integer({ min: -1, max: 1 }), salt, key)
      .map(([prf, i, off, s, k]) => {
        const head = Buffer.alloc(13, 1);
        head.writeUInt32BE(prf, 1);
        head.writeUInt32BE(i, 5);
        head.writeUInt32BE(s.length + off, 9);
        return Buffer.concat([head, s, k]).toString('base64');
      }),
    identityV2: bytes(47, 49).map((rest) => Buffer.concat([Buffer.of(0), rest]).toString('base64')),
  };

  /** Generates hashes with one character inserted, removed or replaced after the cost parameters. */
  function damaged(hash: fc.Arbitrary<string>): fc.Arbitrary<string> {
    return fc
      .tuple(
        hash,
        fc.nat(1000),
        fc.integer({ min: 0, max: 1 }),
        fc.constantFrom('', 'A', '=', '+', '.', '$', '\0'),
      )
      .map(([text, nat, left, put]) => {
        const start = text.indexOf('$', 16) + 1;
        const at = start + (nat % Math.max(1, text.length - start));
        return text.slice(0, at) + put + text.slice(at + left);
      });
  }

  it.each(Object.entries(wellFormed))('can be verified without an error: %s', async (_, hash) => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(hash, damaged(hash)), fc.string(), async (text, password) => {
        if (readPasswordHash(text, 'PasswordHash', new FieldErrors()) === null) return;
        taken++;
        expect(await verifyPassword(password, text)).toBe(false);
      }),
      { numRuns: 80 },
    );
    expect(taken).toBeGreaterThan(0);
  });

  it('is never a random text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        expect(readPasswordHash(text, 'PasswordHash', new FieldErrors())).toBeNull();
      }),
    );
  });
});

describe('a stored hash', () => {
  const cost = { memoryKib: 19_456, passes: 2 };
  const rest = 'AAECAwQFBgcICQoLDA0ODw$nGiWEGaqcEO0FY72f2x+02AASmtYKucar5tqWId2jMc';

  it('needs no rehash if it has the current cost of the service', async () => {
    const pool = new HashPool({ concurrency: 1, ...cost, maxWaitSeconds: 60 });
    const hash = await pool.hashOne(sentence, 'a');
    expect(needsRehash(hash, cost)).toBe(false);
    expect(needsRehash(hash, { ...cost, memoryKib: 19_457 })).toBe(true);
    expect(needsRehash(hash, { ...cost, passes: 3 })).toBe(true);
  });

  it.each([
    ['a higher cost', `$argon2id$v=19$m=65536,t=3,p=1$${rest}`, true],
    ['less memory', `$argon2id$v=19$m=19455,t=2,p=1$${rest}`, true],
    ['fewer passes over more memory', `$argon2id$v=19$m=262144,t=1,p=1$${rest}`, true],
    ['more lanes', `$argon2id$v=19$m=19456,t=2,p=2$${rest}`, true],
    ['an older version', `$argon2id$v=16$m=19456,t=2,p=1$${rest}`, true],
    ['the other kind of argon2', `$argon2i$v=19$m=19456,t=3,p=1$${rest}`, true],
    ['an unknown format', 'password', true],
  ])('needs a rehash if it has %s', (_, hash, expected) => {
    expect(needsRehash(hash, cost)).toBe(expected);
  });

  it.each(vectors.filter(([, , hash]) => !hash.startsWith('$argon2id')))(
    'needs a rehash if it is %s',
    (_, __, hash) => {
      expect(needsRehash(hash, { memoryKib: 1, passes: 1 })).toBe(true);
    },
  );
});
