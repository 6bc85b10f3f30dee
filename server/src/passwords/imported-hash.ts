export type PasswordHash = Argon2Hash | BcryptHash | Pbkdf2Hash;

/** The longest format, PBKDF2 with the longest salt and key, has about 210 characters. */
const maxLength = 256;

/** Parses the parameters of a hash without checking its cost; null if it is not in the canonical form of its format. */
export function parsePasswordHash(text: string): PasswordHash | null {
  if (text.length > maxLength) return null;
  return parseArgon2(text) ?? parseBcrypt(text) ?? parsePbkdf2(text) ?? parseIdentity(text);
}

interface Argon2Hash {
  readonly kind: 'argon2';
  readonly algorithm: 'argon2id' | 'argon2i';
  readonly version: 16 | 19;
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

const argon2Phc =
  /^\$(?<algorithm>argon2id?)\$v=(?<version>16|19)\$m=(?<memory>[1-9]\d{0,9}),t=(?<passes>[1-9]\d{0,9}),p=(?<parallelism>[1-9]\d{0,9})\$(?<salt>[^$]+)\$(?<key>[^$]+)$/;

function parseArgon2(text: string): Argon2Hash | null {
  const found = argon2Phc.exec(text)?.groups;
  if (!found) return null;
  const { algorithm, version, memory, passes, parallelism, salt = '', key = '' } = found;
  if (!pairSaltAndKey(decodeUnpadded(salt), decodeUnpadded(key))) return null;
  return {
    kind: 'argon2',
    algorithm: algorithm === 'argon2id' ? 'argon2id' : 'argon2i',
    version: version === '19' ? 19 : 16,
    memoryKib: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  };
}

interface BcryptHash {
  readonly kind: 'bcrypt';
  readonly cost: number;
}

/**
 * 22 characters of salt and 31 of key. The last characters encode only 2 and 4 bits, so that few of the alphabet are
 * valid there. `$2x$` is not accepted: it marks hashes of a broken implementation.
 */
const modularCrypt =
  /^\$2[aby]\$(?<cost>0[4-9]|[12]\d|3[01])\$[./\dA-Za-z]{21}[.Oeu][./\dA-Za-z]{30}[.CGKOSWaeimquy26]$/;

function parseBcrypt(text: string): BcryptHash | null {
  const found = modularCrypt.exec(text)?.groups;
  return found ? { kind: 'bcrypt', cost: Number(found.cost) } : null;
}

export const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;
type Digest = keyof typeof digestBytes;

export interface Pbkdf2Hash extends SaltAndKey {
  readonly kind: 'pbkdf2';
  readonly digest: Digest;
  readonly iterations: number;
  /** True if the format prescribes the number of iterations. */
  readonly fixed: boolean;
}

interface Pbkdf2Format {
  readonly syntax: RegExp;
  /** True if the key always has the length of the digest. */
  readonly wholeDigest: boolean;
  decodeSalt(text: string): Buffer | null;
  decodeKey(text: string): Buffer | null;
}

// In `pbkdf2Phc` and `passlib`, a missing digest name means SHA-1, as passlib writes it.

const pbkdf2Phc: Pbkdf2Format = {
  syntax:
    /^\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\$i=(?<iterations>[1-9]\d{0,9})(?:,l=(?<length>[1-9]\d))?\$(?<salt>[^$]+)\$(?<key>[^$]+)$/,
  wholeDigest: false,
  decodeSalt: decodeUnpadded,
  decodeKey: decodeUnpadded,
};

const passlib: Pbkdf2Format = {
  syntax:
    /^\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\$(?<iterations>[1-9]\d{0,9})\$(?<salt>[^$]+)\$(?<key>[^$]+)$/,
  wholeDigest: true,
  decodeSalt: decodeAdapted,
  decodeKey: decodeAdapted,
};

/** The salt is not base64: its ASCII text is hashed, which may contain any printable character except the separator. */
const django: Pbkdf2Format = {
  syntax:
    /^pbkdf2_(?<digest>sha1|sha256|sha512)\$(?<iterations>[1-9]\d{0,9})\$(?<salt>[!-#%-~]+)\$(?<key>[^$]+)$/,
  wholeDigest: true,
  decodeSalt: (text) => Buffer.from(text),
  decodeKey: decodeBase64,
};

function parsePbkdf2(text: string): Pbkdf2Hash | null {
  return parseFormat(text, pbkdf2Phc) ?? parseFormat(text, passlib) ?? parseFormat(text, django);
}

function parseFormat(text: string, format: Pbkdf2Format): Pbkdf2Hash | null {
  const found = format.syntax.exec(text)?.groups;
  if (!found) return null;
  const { iterations, length, salt = '', key = '' } = found;
  const digest = (found.digest ?? 'sha1') as Digest;
  const parts = pairSaltAndKey(format.decodeSalt(salt), format.decodeKey(key));
  if (!parts) return null;
  if (format.wholeDigest && parts.key.length !== digestBytes[digest]) return null;
  if (length !== undefined && parts.key.length !== Number(length)) return null;
  return { kind: 'pbkdf2', digest, iterations: Number(iterations), fixed: false, ...parts };
}

const v2 = { marker: 0, saltBytes: 16, keyBytes: 32, iterations: 1000 };
const v3 = { marker: 1, headerBytes: 13, saltBytesMin: 16 };
const v3Digests: readonly Digest[] = ['sha1', 'sha256', 'sha512'];

/** Parses the two formats of ASP.NET Core Identity: base64 of bytes, the first of which is the format marker. */
function parseIdentity(text: string): Pbkdf2Hash | null {
  const bytes = decodeBase64(text);
  if (bytes?.[0] === v2.marker) return parseV2(bytes);
  if (bytes?.[0] === v3.marker) return parseV3(bytes);
  return null;
}

function parseV2(bytes: Buffer): Pbkdf2Hash | null {
  const saltEnd = 1 + v2.saltBytes;
  if (bytes.length !== saltEnd + v2.keyBytes) return null;
  return {
    kind: 'pbkdf2',
    digest: 'sha1',
    iterations: v2.iterations,
    fixed: true,
    salt: bytes.subarray(1, saltEnd),
    key: bytes.subarray(saltEnd),
  };
}

function parseV3(bytes: Buffer): Pbkdf2Hash | null {
  if (bytes.length < v3.headerBytes) return null;
  const digest = v3Digests[bytes.readUInt32BE(1)];
  const iterations = bytes.readUInt32BE(5);
  const saltBytes = bytes.readUInt32BE(9);
  const saltEnd = v3.headerBytes + saltBytes;
  const parts = pairSaltAndKey(bytes.subarray(v3.headerBytes, saltEnd), bytes.subarray(saltEnd));
  // `parts` is also null if `saltBytes` exceeds the remaining bytes, because the key is empty then.
  if (!digest || !parts || saltBytes < v3.saltBytesMin) return null;
  return { kind: 'pbkdf2', digest, iterations, fixed: false, ...parts };
}

// Each decoder returns null unless the text is the canonical encoding of its bytes: the decoder of Node.js ignores
// invalid characters, missing padding and excess bits at the end.

function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

/** Decodes the B64 encoding of PHC strings: base64 without padding. */
function decodeUnpadded(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replaceAll('=', '') === text ? bytes : null;
}

/** Decodes the ab64 encoding of passlib: base64 without padding, with `.` instead of `+`. */
function decodeAdapted(text: string): Buffer | null {
  return text.includes('+') ? null : decodeUnpadded(text.replaceAll('.', '+'));
}

/** Length of the salt in bytes. Shorter salts repeat, and argon2 does not allow them. */
const saltLength = { min: 8, max: 64 };
/** Length of the key in bytes. A shorter key could match a wrong password by chance. */
const keyLength = { min: 16, max: 64 };

interface SaltAndKey {
  readonly salt: Buffer;
  readonly key: Buffer;
}

function pairSaltAndKey(salt: Buffer | null, key: Buffer | null): SaltAndKey | null {
  if (!salt || !isWithin(salt.length, saltLength)) return null;
  if (!key || !isWithin(key.length, keyLength)) return null;
  return { salt, key };
}

function isWithin(length: number, { min, max }: { readonly min: number; readonly max: number }): boolean {
  return length >= min && length <= max;
}
