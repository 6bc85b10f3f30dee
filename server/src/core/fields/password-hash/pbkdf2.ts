import { decodeAdapted, decodeBase64, decodeUnpadded } from './base64.ts';
import { pairSaltAndKey, type SaltAndKey } from './salt-and-key.ts';

export const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;
export type Digest = keyof typeof digestBytes;

export interface Pbkdf2Hash extends SaltAndKey {
  readonly kind: 'pbkdf2';
  readonly digest: Digest;
  readonly iterations: number;
  /** Whether its form leaves no choice of iterations. */
  readonly fixed: boolean;
}

interface Form {
  readonly syntax: RegExp;
  /** Whether the key always has the length of the digest. */
  readonly wholeDigest: boolean;
  decodeSalt(text: string): Buffer | null;
  decodeKey(text: string): Buffer | null;
}

// In the first two SHA-1 goes without a name, as passlib writes it, or with one.

const phc: Form = {
  syntax:
    /^\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\$i=(?<iterations>[1-9]\d{0,9})(?:,l=(?<length>[1-9]\d))?\$(?<salt>[^$]+)\$(?<key>[^$]+)$/,
  wholeDigest: false,
  decodeSalt: decodeUnpadded,
  decodeKey: decodeUnpadded,
};

const passlib: Form = {
  syntax:
    /^\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\$(?<iterations>[1-9]\d{0,9})\$(?<salt>[^$]+)\$(?<key>[^$]+)$/,
  wholeDigest: true,
  decodeSalt: decodeAdapted,
  decodeKey: decodeAdapted,
};

/** The salt is no base64: it is hashed as the text it is, which may have anything printable but the separator. */
const django: Form = {
  syntax:
    /^pbkdf2_(?<digest>sha1|sha256|sha512)\$(?<iterations>[1-9]\d{0,9})\$(?<salt>[!-#%-~]+)\$(?<key>[^$]+)$/,
  wholeDigest: true,
  decodeSalt: (text) => Buffer.from(text),
  decodeKey: decodeBase64,
};

export function parsePbkdf2(text: string): Pbkdf2Hash | null {
  return parseForm(text, phc) ?? parseForm(text, passlib) ?? parseForm(text, django);
}

function parseForm(text: string, form: Form): Pbkdf2Hash | null {
  const found = form.syntax.exec(text)?.groups;
  if (!found) return null;
  const { iterations, length, salt = '', key = '' } = found;
  const digest = (found.digest ?? 'sha1') as Digest;
  const parts = pairSaltAndKey(form.decodeSalt(salt), form.decodeKey(key));
  if (!parts) return null;
  if (form.wholeDigest && parts.key.length !== digestBytes[digest]) return null;
  if (length !== undefined && parts.key.length !== Number(length)) return null;
  return { kind: 'pbkdf2', digest, iterations: Number(iterations), fixed: false, ...parts };
}
