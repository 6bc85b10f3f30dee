import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Faults } from '../../src/core/faults.ts';
import { readPasswordHash } from '../../src/core/fields/password-hash.ts';
import { type Language, languages, say } from '../../src/core/language/say.ts';

const place = 'Users[0].PasswordHash';

function read(value: unknown) {
  const faults = new Faults();
  const hash = readPasswordHash(value, place, faults);
  expect([...faults.byPlace.keys()].filter((other) => other !== place)).toEqual([]);
  return { hash, faults: faults.byPlace.get(place) ?? [] };
}

const refused = { hash: null, faults: [{ code: 'PASSWORD_HASH_INVALID' }] };

/** Base64 of so many bytes, as the PHC forms write it. */
function b64(bytes: number): string {
  return Buffer.alloc(bytes, 0xa5).toString('base64').replaceAll('=', '');
}

function argon2(parameters: string, salt = b64(16), key = b64(32)): string {
  return `$argon2id$${parameters}$${salt}$${key}`;
}

function phc(parameters: string, digest = '-sha256', salt = b64(16), key = b64(32)): string {
  return `$pbkdf2${digest}$${parameters}$${salt}$${key}`;
}

/** The layout of ASP.NET Core Identity v3. */
function identity(
  prf: number,
  iterations: number,
  salt: number,
  key: number,
  { marker = 1, saltWritten = salt } = {},
) {
  const bytes = Buffer.alloc(13 + saltWritten + key, 0xa5);
  bytes[0] = marker;
  bytes.writeUInt32BE(prf, 1);
  bytes.writeUInt32BE(iterations, 5);
  bytes.writeUInt32BE(salt, 9);
  return bytes.toString('base64');
}

const bcryptSalt = 'o6hx.Wog/wvFSkT/Bp/6DO';
const bcryptKey = 'xCtLRTDj7lm9on9suF/WaCGNVHbkfL6';

describe('a password hash', () => {
  it.each([
    ['argon2id', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
    [
      'argon2i',
      '$argon2i$v=19$m=65536,t=3,p=4$kk51rW/vxIVCYn+EG4kTSg$NyT88uraJ6im6dyha/M5jhXvpqlEdlS/9fEm7ScMb8c',
    ],
    ['argon2 of its first version', argon2('v=16$m=19456,t=2,p=1')],
    ['bcrypt 2a', `$2a$12$${bcryptSalt}${bcryptKey}`],
    ['bcrypt 2b', `$2b$12$${bcryptSalt}${bcryptKey}`],
    ['bcrypt 2y', `$2y$12$${bcryptSalt}${bcryptKey}`],
    ['PBKDF2 in PHC form', phc('i=29000')],
    ['PBKDF2 in PHC form with the length of its key', phc('i=29000,l=32')],
    ['PBKDF2 in PHC form with SHA-512 and a shorter key', phc('i=29000,l=32', '-sha512')],
    ['PBKDF2 in PHC form with SHA-1', phc('i=29000,l=20', '-sha1', b64(16), b64(20))],
    ['PBKDF2 in PHC form with SHA-1 and no name for it', phc('i=29000', '', b64(16), b64(20))],
    [
      'passlib with SHA-256',
      '$pbkdf2-sha256$29000$x9h7j/Ge8x6DMEao1VqrdQ$kra3R1wEnY8mPdDWOpTqOTINaAmZvRMcYd8u5OBQP9A',
    ],
    [
      'passlib with SHA-512 and a dot',
      '$pbkdf2-sha512$25000$LyWE0HrP2RsjZCxlDGFMKQ$1vC5Ohk2mCS9b6akqsEfgeb4l74SF8XjH.SljXf3dMLHdlY1GK9ojcCKts6/asR4aPqBmk74nCDddU3tvSCJvw',
    ],
    ['passlib with SHA-1', '$pbkdf2$131000$r5WythYixPgfQ2jt3buXcg$8Kdr.QQEOaZIXNOrrru36I/.6Po'],
    [
      'Django with SHA-256',
      'pbkdf2_sha256$870000$Qx7mR2vT9kLp4sWz$q8bVU34ZbIqSroAvvFgZhHZ6jNeCNMPqYZOg52ta260=',
    ],
    ['Django with SHA-1', 'pbkdf2_sha1$20000$seasalt2$pJt86NmjAweBY1StBvxCu7l1o9o='],
    ['Django with a salt of other characters', `pbkdf2_sha256$20000$!#%~-_ok$${b64(32)}=`],
    ['ASP.NET Identity v2', 'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg=='],
    [
      'ASP.NET Core Identity v3 with SHA-256',
      'AQAAAAEAA9CQAAAAIESkQuj2Du8Y+kbc5lcN/W/3NiAZFEm11P27nrSN5/tId+bR1SwV8CO1Jd72r4C08OLvplNlCDc3oQZ8efcW+jQ=',
    ],
    [
      'ASP.NET Core Identity v3 with SHA-512',
      'AQAAAAIAAYagAAAAEAABAgMEBQYHCAkKCwwNDg/Q8A0WMKbtHQJQ2DHCdoEeeFBrgNlldq6vH4qX/CGqGQ==',
    ],
    ['ASP.NET Core Identity v3 with SHA-1', identity(0, 10_000, 16, 32)],
    ['the shortest salt and key', argon2('v=19$m=19456,t=2,p=1', b64(8), b64(16))],
    ['the longest salt and key', phc('i=3000000,l=64', '-sha512', b64(64), b64(64))],
  ])('may be %s, and is kept as sent', (_, hash) => {
    expect(read(hash)).toEqual({ hash, faults: [] });
  });

  it('may be absent, which is no fault', () => {
    expect(read(undefined)).toEqual({ hash: null, faults: [] });
    expect(read(null)).toEqual({ hash: null, faults: [] });
  });

  it.each([[12], [true], [{}], [['$2b$12$']]])('is a string, and not %j', (value) => {
    expect(read(value)).toEqual({ hash: null, faults: [{ code: 'WRONG_TYPE', variant: 'string' }] });
  });
});

describe('what is no password hash', () => {
  it.each([
    ['nothing', ''],
    ['a password', 'correct horse battery staple'],
    ['bare dollars', '$$$$$'],
    ['an MD5 digest', '5f4dcc3b5aa765d61d8327deb882cf99'],
    ['SHA-512 crypt', `$6$saltsaltsaltsalt$${'a'.repeat(86)}`],
    ['scrypt', `$scrypt$ln=16,r=8,p=1$${b64(16)}$${b64(32)}`],
    ['the form of Werkzeug', `pbkdf2:sha256:600000$KbI3sQ1x9cBnGz7a$${'5f'.repeat(32)}`],
    ['argon2d', argon2('v=19$m=19456,t=2,p=1').replace('argon2id', 'argon2d')],
    ['the prefix of Django before argon2', `argon2${argon2('v=19$m=19456,t=2,p=1')}`],
  ])('is refused: %s', (_, hash) => {
    expect(read(hash)).toEqual(refused);
  });

  it.each([
    ['no version', argon2('m=19456,t=2,p=1')],
    ['another version', argon2('v=18$m=19456,t=2,p=1')],
    ['its parameters in another order', argon2('v=19$t=2,m=19456,p=1')],
    ['a parameter too few', argon2('v=19$m=19456,t=2')],
    ['a parameter too many', argon2('v=19$m=19456,t=2,p=1,keyid=AAAA')],
    ['a zero before a number', argon2('v=19$m=019456,t=2,p=1')],
    ['a sign before a number', argon2('v=19$m=+19456,t=2,p=1')],
    ['a number of nothing', argon2('v=19$m=,t=2,p=1')],
    ['a number of eleven digits', argon2('v=19$m=19456,t=20000000000,p=1')],
    ['no salt', argon2('v=19$m=19456,t=2,p=1', '')],
    ['a salt of 7 bytes', argon2('v=19$m=19456,t=2,p=1', b64(7))],
    ['a salt of 65 bytes', argon2('v=19$m=19456,t=2,p=1', b64(65))],
    ['no key', argon2('v=19$m=19456,t=2,p=1', b64(16), '')],
    ['a key of 15 bytes', argon2('v=19$m=19456,t=2,p=1', b64(16), b64(15))],
    ['a key of 65 bytes', argon2('v=19$m=19456,t=2,p=1', b64(16), b64(65))],
    ['padding', argon2('v=19$m=19456,t=2,p=1', `${b64(16)}==`)],
    ['a stray bit at the end', argon2('v=19$m=19456,t=2,p=1', `${b64(16).slice(0, -1)}R`)],
    ['base64 that ends in one character', argon2('v=19$m=19456,t=2,p=1', `${b64(15)}A`)],
    ['the letters of URLs', argon2('v=19$m=19456,t=2,p=1', '-_-_-_-_-_-_-_-_-_-_-w')],
    ['capitals', argon2('v=19$m=19456,t=2,p=1').replace('argon2id', 'Argon2id')],
    ['a line at its end', `${argon2('v=19$m=19456,t=2,p=1')}\n`],
    ['a space before it', ` ${argon2('v=19$m=19456,t=2,p=1')}`],
    ['a zero at its end', `${argon2('v=19$m=19456,t=2,p=1')}\0`],
    ['another part', `${argon2('v=19$m=19456,t=2,p=1')}$AAAA`],
  ])('is argon2 with %s', (_, hash) => {
    expect(read(hash)).toEqual(refused);
  });

  it.each([
    ['the mark of the broken kind', `$2x$12$${bcryptSalt}${bcryptKey}`],
    ['no letter in its mark', `$2$12$${bcryptSalt}${bcryptKey}`],
    ['a cost of one digit', `$2b$9$${bcryptSalt}${bcryptKey}`],
    ['a cost of three digits', `$2b$012$${bcryptSalt}${bcryptKey}`],
    ['a cost that bcrypt does not have', `$2b$03$${bcryptSalt}${bcryptKey}`],
    ['a cost that is too high for bcrypt', `$2b$32$${bcryptSalt}${bcryptKey}`],
    ['59 characters', `$2b$12$${bcryptSalt}${bcryptKey}`.slice(0, -1)],
    ['61 characters', `$2b$12$${bcryptSalt}${bcryptKey}.`],
    ['a character of another alphabet', `$2b$12$${bcryptSalt.replace('.', '+')}${bcryptKey}`],
    ['a stray bit after its salt', `$2b$12$${bcryptSalt.slice(0, -1)}P${bcryptKey}`],
    ['a stray bit after its key', `$2b$12$${bcryptSalt}${bcryptKey.slice(0, -1)}7`],
    ['a line at its end', `$2b$12$${bcryptSalt}${bcryptKey}\n`],
    ['the prefix of Django', `bcrypt$$2b$12$${bcryptSalt}${bcryptKey}`],
  ])('is bcrypt with %s', (_, hash) => {
    expect(read(hash)).toEqual(refused);
  });

  it.each([
    ['another digest', phc('i=29000', '-sha384', b64(16), b64(48))],
    ['MD5', phc('i=29000', '-md5', b64(16), b64(16))],
    ['no iterations', phc('i=')],
    ['a length that is not that of its key', phc('i=29000,l=33')],
    ['its parameters in another order', phc('l=32,i=29000')],
    ['a zero before a number', phc('i=029000')],
    ['the dot of passlib', phc('i=29000', '-sha256', b64(16), `.${b64(32).slice(1)}`)],
    ['a salt of 7 bytes', phc('i=29000', '-sha256', b64(7))],
    ['a key of 15 bytes', phc('i=29000', '-sha256', b64(16), b64(15))],
    ['a key of 65 bytes', phc('i=29000', '-sha512', b64(16), b64(65))],
    ['a line at its end', `${phc('i=29000')}\n`],
  ])('is PBKDF2 in PHC form with %s', (_, hash) => {
    expect(read(hash)).toEqual(refused);
  });

  it.each([
    ['the plus sign of base64', phc('29000', '-sha256', b64(16), `+${b64(32).slice(1)}`)],
    ['a key that is not the whole digest', phc('29000', '-sha512', b64(16), b64(32))],
    ['a salt of 7 bytes', phc('29000', '-sha256', b64(7))],
    ['a stray bit at the end', phc('29000', '-sha256', `${b64(16).slice(0, -1)}R`)],
    ['padding', phc('29000', '-sha256', b64(16), `${b64(32)}=`)],
    ['a zero before its rounds', phc('029000')],
  ])('is of passlib with %s', (_, hash) => {
    expect(read(hash)).toEqual(refused);
  });

  it.each([
    ['no padding', `pbkdf2_sha256$20000$seasalt2$${b64(32)}`],
    ['a key that is not the whole digest', `pbkdf2_sha512$20000$seasalt2$${b64(32)}=`],
    ['a salt of 7 characters', `pbkdf2_sha256$20000$seasalt$${b64(32)}=`],
    ['a salt of 65 characters', `pbkdf2_sha256$20000$${'s'.repeat(65)}$${b64(32)}=`],
    ['a salt beyond ASCII', `pbkdf2_sha256$20000$sèasalt2$${b64(32)}=`],
    ['a space in its salt', `pbkdf2_sha256$20000$sea salt$${b64(32)}=`],
    ['a separator in its salt', `pbkdf2_sha256$20000$sea$salt2$${b64(32)}=`],
    ['another digest', `pbkdf2_md5$20000$seasalt2$${b64(16)}==`],
    ['a dollar before it', `$pbkdf2_sha256$20000$seasalt2$${b64(32)}=`],
  ])('is of Django with %s', (_, hash) => {
    expect(read(hash)).toEqual(refused);
  });

  it.each([
    ['a byte too few for v2', Buffer.alloc(48).toString('base64')],
    ['a byte too many for v2', Buffer.alloc(50).toString('base64')],
    ['another first byte', identity(1, 10_000, 16, 32, { marker: 2 })],
    ['a function that is not there', identity(3, 10_000, 16, 32)],
    ['no more than a part of its head', Buffer.alloc(12, 1).toString('base64')],
    ['a salt of 15 bytes', identity(1, 10_000, 15, 32)],
    ['a salt of 65 bytes', identity(1, 10_000, 65, 32)],
    ['a salt that is longer than all of it', identity(1, 10_000, 0xff_ff_ff_ff, 32, { saltWritten: 16 })],
    ['a key of 15 bytes', identity(1, 10_000, 16, 15)],
    ['a key of 65 bytes', identity(2, 10_000, 16, 65)],
    ['no padding', identity(1, 10_000, 16, 32).replaceAll('=', '')],
    ['a line at its end', `${identity(1, 10_000, 16, 32)}\n`],
    ['a line in its middle', identity(1, 10_000, 16, 32).replace(/^.{40}/, '$&\n')],
    ['a stray bit at its end', identity(1, 10_000, 16, 32).replace(/.==$/, 'R==')],
  ])('is of ASP.NET Identity with %s', (_, hash) => {
    expect(read(hash)).toEqual(refused);
  });

  it('is anything beyond 256 characters, which no pattern has to look at', () => {
    expect(read('A'.repeat(257))).toEqual(refused);
    for (const head of ['$argon2id$v=19$m=1', '$pbkdf2-sha256$i=1', 'pbkdf2_sha256$1$', '$2b$12$', 'AQ']) {
      expect(read(`${head}${'1'.repeat(10_000_000)}`)).toEqual(refused);
    }
  });
});

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
    ['PBKDF2, highest', phc('i=3000000')],
    ['PBKDF2, highest with two blocks', phc('i=1500000,l=40', '-sha1', b64(16), b64(40))],
    ['ASP.NET Core Identity v3, lowest', identity(1, 10_000, 16, 32)],
    ['ASP.NET Core Identity v3, highest', identity(2, 3_000_000, 16, 64)],
  ])('is taken at the bound: %s', (_, hash) => {
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
    [phc('i=9999'), tooMuch('iterations', 'PBKDF2-SHA256', 9999, 10_000, 3_000_000)],
    [phc('i=3000001'), tooMuch('iterations', 'PBKDF2-SHA256', 3_000_001, 10_000, 3_000_000)],
    [
      phc('i=1500001', '-sha1', b64(16), b64(21)),
      tooMuch('iterations', 'PBKDF2-SHA1', 1_500_001, 10_000, 1_500_000),
    ],
    [
      phc('i=750001', '-sha1', b64(16), b64(64)),
      tooMuch('iterations', 'PBKDF2-SHA1', 750_001, 10_000, 750_000),
    ],
    [
      '$pbkdf2-sha256$6400$0ZrzXitFSGltTQnBWOsdAw$Y11AchqV4b0sUisdZd0Xr97KWoymNE0LNNrnEgY4H9M',
      tooMuch('iterations', 'PBKDF2-SHA256', 6400, 10_000, 3_000_000),
    ],
    [
      `pbkdf2_sha512$4000000$seasalt2$${b64(64)}==`,
      tooMuch('iterations', 'PBKDF2-SHA512', 4_000_000, 10_000, 3_000_000),
    ],
    [
      'AQAAAAIAAAD6AAAAIJbVi5wbMR+htSfFp8fTw8N8GOS/Sje+S/4YZcgBfU7EQuqv4OkVYmc4VJl9AGZzmRTxSkP7LtVi9IWyUxX8IAAfZ8v+ZfhjCcudtC1YERSqE1OEdXLW9VukPuJWBBjLuw==',
      tooMuch('iterations', 'PBKDF2-SHA512', 250, 10_000, 3_000_000),
    ],
    [identity(1, 0, 16, 32), tooMuch('iterations', 'PBKDF2-SHA256', 0, 10_000, 3_000_000)],
    [
      identity(0, 4_294_967_295, 16, 32),
      tooMuch('iterations', 'PBKDF2-SHA1', 4_294_967_295, 10_000, 1_500_000),
    ],
  ])('is refused beyond the bound: %s', (hash, faults) => {
    expect(read(hash)).toEqual({ hash: null, faults });
  });

  it('is said with what was found and what is allowed', () => {
    const [fault] = cost(`$2b$04$${bcryptSalt}${bcryptKey}`);
    expect(fault && say(fault, 'en')).toBe('This bcrypt hash has a cost of 4; from 8 to 14 is allowed.');
    expect(fault && say(fault, 'it')).toBe('Questo hash bcrypt ha un costo di 4; è ammesso da 8 a 14.');
  });

  it.each(['memory', 'passes', 'parallelism', 'cost', 'iterations'])(
    'has a sentence for the %s, with every figure',
    (variant) => {
      const figures = { algorithm: 'bcrypt', found: 70_001, min: 70_002, max: 70_003 };
      for (const language of Object.keys(languages) as Language[]) {
        const sentence = say({ code: 'PASSWORD_HASH_COST', variant, figures }, language);
        for (const figure of Object.values(figures)) expect(sentence).toContain(String(figure));
      }
    },
  );
});

describe('a fault of a password hash', () => {
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

  /** Every run of six characters of a text. */
  function runs(text: string): string[] {
    return Array.from({ length: Math.max(0, text.length - 5) }, (_, at) => text.slice(at, at + 6));
  }

  it('never repeats a part of its salt, its key or a text that was sent by mistake', () => {
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
          const said = (Object.keys(languages) as Language[]).map((language) => say(fault, language)).join();
          expect(secrets.flatMap(runs).filter((run) => said.includes(run))).toEqual([]);
        }
      }),
      { numRuns: 2000 },
    );
    expect(faultsSeen).toBeGreaterThan(1000);
  });

  it('is the same whatever the salt and the key are', () => {
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
