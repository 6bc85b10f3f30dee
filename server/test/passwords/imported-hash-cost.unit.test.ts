import { runs } from '@anagrafe/testing/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Language, languages, translate } from '../../src/lib/translate.ts';
import { argon2, b64, bcryptKey, bcryptSalt, identity, phc, read } from './password-hashes.ts';

describe('the cost of a hash', () => {
  function cost(hash: string) {
    return read(hash).faults;
  }

  function tooMuch(parameter: string, algorithm: string, found: number, min: number, max: number) {
    return [{ code: 'PASSWORD_HASH_COST', variant: parameter, figures: { algorithm, found, min, max } }];
  }

  it.each([
    ['argon2 memory, lowest', argon2('v=19$m=4096,t=1,p=1')],
    ['argon2 memory, highest', argon2('v=19$m=262144,t=1,p=1')],
    ['argon2 passes, most with the lowest memory', argon2('v=19$m=4096,t=256,p=1')],
    ['argon2 passes, most with the highest memory', argon2('v=19$m=262144,t=4,p=1')],
    ['argon2i passes, fewest', argon2('v=19$m=4096,t=3,p=1').replace('argon2id', 'argon2i')],
    ['argon2 parallelism, highest', argon2('v=19$m=4096,t=1,p=16')],
    ['bcrypt, lowest', `$2b$08$${bcryptSalt}${bcryptKey}`],
    ['bcrypt, highest', `$2b$14$${bcryptSalt}${bcryptKey}`],
    ['PBKDF2, lowest', phc('i=10000')],
    ['PBKDF2, highest', phc('i=2000000')],
    ['PBKDF2, highest with two blocks', phc('i=1000000,l=40', '-sha1', b64(16), b64(40))],
    ['ASP.NET Core Identity v3, lowest', identity(1, 10_000, 16, 32)],
    ['ASP.NET Core Identity v3, highest', identity(2, 1_000_000, 16, 64)],
  ])('is accepted at the limit: %s', (_, hash) => {
    expect(cost(hash)).toEqual([]);
  });

  it.each([
    [argon2('v=19$m=4095,t=10,p=1'), tooMuch('memory', 'argon2id', 4095, 4096, 262_144)],
    [argon2('v=19$m=262145,t=1,p=1'), tooMuch('memory', 'argon2id', 262_145, 4096, 262_144)],
    [argon2('v=19$m=4294967295,t=9,p=99'), tooMuch('memory', 'argon2id', 4_294_967_295, 4096, 262_144)],
    [argon2('v=19$m=9999999999,t=1,p=1'), tooMuch('memory', 'argon2id', 9_999_999_999, 4096, 262_144)],
    [argon2('v=19$m=4096,t=257,p=1'), tooMuch('passes', 'argon2id', 257, 1, 256)],
    [argon2('v=16$m=262144,t=5,p=1'), tooMuch('passes', 'argon2id', 5, 1, 4)],
    [argon2('v=19$m=65536,t=2,p=1').replace('argon2id', 'argon2i'), tooMuch('passes', 'argon2i', 2, 3, 16)],
    [argon2('v=19$m=4096,t=1,p=17'), tooMuch('parallelism', 'argon2id', 17, 1, 16)],
    [`$2b$07$${bcryptSalt}${bcryptKey}`, tooMuch('cost', 'bcrypt', 7, 8, 14)],
    [`$2a$04$${bcryptSalt}${bcryptKey}`, tooMuch('cost', 'bcrypt', 4, 8, 14)],
    [`$2y$15$${bcryptSalt}${bcryptKey}`, tooMuch('cost', 'bcrypt', 15, 8, 14)],
    [`$2y$31$${bcryptSalt}${bcryptKey}`, tooMuch('cost', 'bcrypt', 31, 8, 14)],
    [phc('i=9999'), tooMuch('iterations', 'PBKDF2-SHA256', 9999, 10_000, 2_000_000)],
    [phc('i=2000001'), tooMuch('iterations', 'PBKDF2-SHA256', 2_000_001, 10_000, 2_000_000)],
    [
      phc('i=1000001', '-sha1', b64(16), b64(21)),
      tooMuch('iterations', 'PBKDF2-SHA1', 1_000_001, 10_000, 1_000_000),
    ],
    [
      phc('i=500001', '-sha1', b64(16), b64(64)),
      tooMuch('iterations', 'PBKDF2-SHA1', 500_001, 10_000, 500_000),
    ],
    [
      '$pbkdf2-sha256$6400$0ZrzXitFSGltTQnBWOsdAw$Y11AchqV4b0sUisdZd0Xr97KWoymNE0LNNrnEgY4H9M',
      tooMuch('iterations', 'PBKDF2-SHA256', 6400, 10_000, 2_000_000),
    ],
    [
      `pbkdf2_sha512$4000000$seasalt2$${b64(64)}==`,
      tooMuch('iterations', 'PBKDF2-SHA512', 4_000_000, 10_000, 1_000_000),
    ],
    [
      'AQAAAAIAAAD6AAAAIJbVi5wbMR+htSfFp8fTw8N8GOS/Sje+S/4YZcgBfU7EQuqv4OkVYmc4VJl9AGZzmRTxSkP7LtVi9IWyUxX8IAAfZ8v+ZfhjCcudtC1YERSqE1OEdXLW9VukPuJWBBjLuw==',
      tooMuch('iterations', 'PBKDF2-SHA512', 250, 10_000, 1_000_000),
    ],
    [identity(1, 0, 16, 32), tooMuch('iterations', 'PBKDF2-SHA256', 0, 10_000, 2_000_000)],
    [
      identity(0, 4_294_967_295, 16, 32),
      tooMuch('iterations', 'PBKDF2-SHA1', 4_294_967_295, 10_000, 1_000_000),
    ],
  ])('is refused beyond the limit: %s', (hash, faults) => {
    expect(read(hash)).toEqual({ hash: null, faults });
  });

  it('is in the message together with the allowed range', () => {
    const [fault] = cost(`$2b$04$${bcryptSalt}${bcryptKey}`);
    expect(fault && translate(fault, 'en')).toBe('This bcrypt hash has a cost of 4. Allowed: 8 to 14.');
    expect(fault && translate(fault, 'it')).toBe(
      'Questo hash bcrypt ha un costo di 4. Valori ammessi: da 8 a 14.',
    );
  });

  it.each(['memory', 'passes', 'parallelism', 'cost', 'iterations'] as const)(
    'has a message for the parameter %s that contains every figure',
    (variant) => {
      const figures = { algorithm: 'bcrypt', found: 70_001, min: 70_002, max: 70_003 };
      for (const language of Object.keys(languages) as Language[]) {
        const sentence = translate({ code: 'PASSWORD_HASH_COST', variant, figures }, language);
        for (const figure of Object.values(figures)) expect(sentence).toContain(String(figure));
      }
    },
  );
});

describe('the field error of a password hash', () => {
  const salt = fc.uint8Array({ minLength: 6, maxLength: 70 }).map((bytes) => Buffer.from(bytes));
  const key = fc.uint8Array({ minLength: 14, maxLength: 70 }).map((bytes) => Buffer.from(bytes));
  const whole = fc.integer({ min: 0, max: 9_999_999_999 });

  const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const wrong = fc.oneof(
    fc
      .tuple(fc.constantFrom('argon2id', 'argon2i', 'argon2d'), whole, whole, whole, salt, key)
      .map(([name, m, t, p, s, k]) => ({
        hash: `$${name}$v=19$m=${m},t=${t},p=${p}$${unpadded(s)}$${unpadded(k)}`,
        secrets: [unpadded(s), unpadded(k)],
      })),
    fc.tuple(fc.constantFrom('', '-sha256', '-sha512'), whole, salt, key).map(([name, i, s, k]) => ({
      hash: `$pbkdf2${name}$i=${i}$${unpadded(s)}$${unpadded(k)}`,
      secrets: [unpadded(s), unpadded(k)],
    })),
    fc.tuple(whole, salt, key).map(([i, s, k]) => ({
      hash: `pbkdf2_sha256$${i}$${unpadded(s)}$${k.toString('base64')}`,
      secrets: [unpadded(s), unpadded(k)],
    })),
    fc
      .tuple(fc.integer({ min: 0, max: 99 }), fc.uint8Array({ minLength: 40, maxLength: 40 }))
      .map(([cost, bytes]) => {
        const letters = unpadded(Buffer.from(bytes)).replaceAll('+', '.');
        const rest = `${letters.slice(0, 21)}O${letters.slice(22, 52)}6`;
        return { hash: `$2b$${String(cost).padStart(2, '0')}$${rest}`, secrets: [rest] };
      }),
    fc.tuple(whole, salt, key).map(([iterations, s, k]) => {
      const head = Buffer.from([1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, s.length]);
      head.writeUInt32BE(iterations % 2 ** 32, 5);
      return {
        hash: Buffer.concat([head, s, k]).toString('base64'),
        secrets: [unpadded(Buffer.concat([s, k]).subarray(2))],
      };
    }),
    fc.string({ minLength: 6, maxLength: 300 }).map((text) => ({ hash: text, secrets: [text] })),
  );

  /** Returns every substring of six characters. */
  function partsOf(text: string): string[] {
    return Array.from({ length: Math.max(0, text.length - 5) }, (_, at) => text.slice(at, at + 6));
  }

  it('never contains a part of the salt, of the key or of a text that was sent by mistake', () => {
    let faultsSeen = 0;
    fc.assert(
      fc.property(wrong, ({ hash, secrets }) => {
        const { faults } = read(hash);
        for (const fault of faults) {
          faultsSeen++;
          expect(['PASSWORD_HASH_INVALID', 'PASSWORD_HASH_COST']).toContain(fault.code);
          for (const [name, figure] of Object.entries(fault.figures ?? {})) {
            if (name === 'algorithm') expect(figure).toMatch(/^(argon2id?|bcrypt|PBKDF2-SHA(1|256|512))$/);
            else expect(figure).toBeTypeOf('number');
          }
          const messages = (Object.keys(languages) as Language[])
            .map((language) => translate(fault, language))
            .join();
          expect(secrets.flatMap(partsOf).filter((part) => messages.includes(part))).toEqual([]);
        }
      }),
      runs(300),
    );
    expect(faultsSeen).toBeGreaterThan(150);
  });

  it('does not depend on the salt and the key', () => {
    const sized = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => unpadded(Buffer.from(bytes)));
    fc.assert(
      fc.property(sized, sized, sized, sized, (s1, k1, s2, k2) => {
        for (const parameters of ['v=19$m=1,t=1,p=1', 'v=19$m=4096,t=999,p=1', 'v=7$m=4096,t=1,p=1']) {
          expect(read(argon2(parameters, s1, k1)).faults).toEqual(read(argon2(parameters, s2, k2)).faults);
          expect(read(argon2(parameters, s1, k1)).faults).toHaveLength(1);
        }
        expect(read(phc('i=1', '-sha256', s1, k1)).faults).toEqual(
          read(phc('i=1', '-sha256', s2, k2)).faults,
        );
      }),
      { numRuns: 100 },
    );
  });
});
