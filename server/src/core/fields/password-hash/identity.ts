import { decodeBase64 } from './base64.ts';
import type { Digest, Pbkdf2Hash } from './pbkdf2.ts';
import { pairSaltAndKey } from './salt-and-key.ts';

const v2 = { marker: 0, saltBytes: 16, keyBytes: 32, iterations: 1000 };
const v3 = { marker: 1, headerBytes: 13, saltBytesMin: 16 };
const v3Digests: readonly Digest[] = ['sha1', 'sha256', 'sha512'];

/** The two forms of ASP.NET Core Identity: base64 of bytes, of which the first tells the form. */
export function parseIdentity(text: string): Pbkdf2Hash | null {
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
  // Where the bytes end before the salt does, no key is left, and there is no pair.
  if (!digest || !parts || saltBytes < v3.saltBytesMin) return null;
  return { kind: 'pbkdf2', digest, iterations, fixed: false, ...parts };
}
