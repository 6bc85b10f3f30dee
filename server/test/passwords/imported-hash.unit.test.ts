import { describe, expect, it } from 'vitest';
import { argon2, b64, bcryptKey, bcryptSalt, identity, phc, read, refused } from './password-hashes.ts';

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
    ['the longest salt and key', phc('i=1000000,l=64', '-sha512', b64(64), b64(64))],
  ])('may be %s, and is kept as sent', (_, hash) => {
    expect(read(hash)).toEqual({ hash, faults: [] });
  });

  it('may be absent without an error', () => {
    expect(read(undefined)).toEqual({ hash: null, faults: [] });
    expect(read(null)).toEqual({ hash: null, faults: [] });
  });

  it.each([[12], [true], [{}], [['$2b$12$']]])('must be a string, not %j', (value) => {
    expect(read(value)).toEqual({ hash: null, faults: [{ code: 'WRONG_TYPE', variant: 'string' }] });
  });
});

describe('an invalid password hash', () => {
  it.each([
    ['an empty text', ''],
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
  ])('in argon2 format is refused: %s', (_, hash) => {
    expect(read(hash)).toEqual(refused);
  });

  it.each([
    ['the prefix $2x$', `$2x$12$${bcryptSalt}${bcryptKey}`],
    ['a prefix without a letter', `$2$12$${bcryptSalt}${bcryptKey}`],
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
  ])('in bcrypt format is refused: %s', (_, hash) => {
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
  ])('in the PHC format of PBKDF2 is refused: %s', (_, hash) => {
    expect(read(hash)).toEqual(refused);
  });

  it.each([
    ['the plus sign of base64', phc('29000', '-sha256', b64(16), `+${b64(32).slice(1)}`)],
    ['a key that is not the whole digest', phc('29000', '-sha512', b64(16), b64(32))],
    ['a salt of 7 bytes', phc('29000', '-sha256', b64(7))],
    ['a stray bit at the end', phc('29000', '-sha256', `${b64(16).slice(0, -1)}R`)],
    ['padding', phc('29000', '-sha256', b64(16), `${b64(32)}=`)],
    ['a zero before its rounds', phc('029000')],
  ])('in passlib format is refused: %s', (_, hash) => {
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
  ])('in Django format is refused: %s', (_, hash) => {
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
  ])('in ASP.NET Identity format is refused: %s', (_, hash) => {
    expect(read(hash)).toEqual(refused);
  });

  it('of more than 256 characters is refused before any pattern is tested', () => {
    expect(read('A'.repeat(257))).toEqual(refused);
    for (const head of ['$argon2id$v=19$m=1', '$pbkdf2-sha256$i=1', 'pbkdf2_sha256$1$', '$2b$12$', 'AQ']) {
      expect(read(`${head}${'1'.repeat(1_000_000)}`)).toEqual(refused);
    }
  });
});
