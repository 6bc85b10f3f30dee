import { expect } from 'vitest';
import { FieldErrors } from '../../src/lib/field-errors.ts';
import { readPasswordHash } from '../../src/passwords/imported-hash-cost.ts';

export const place = 'Users[0].PasswordHash';

export function read(value: unknown) {
  const faults = new FieldErrors();
  const hash = readPasswordHash(value, place, faults);
  expect([...faults.byPlace.keys()].filter((other) => other !== place)).toEqual([]);
  return { hash, faults: faults.byPlace.get(place) ?? [] };
}

export const refused = { hash: null, faults: [{ code: 'PASSWORD_HASH_INVALID' }] };

/** Returns this number of bytes in base64 without padding, as in the PHC string format. */
export function b64(bytes: number): string {
  return Buffer.alloc(bytes, 0xa5).toString('base64').replaceAll('=', '');
}

export function argon2(parameters: string, salt = b64(16), key = b64(32)): string {
  return `$argon2id$${parameters}$${salt}$${key}`;
}

export function phc(parameters: string, digest = '-sha256', salt = b64(16), key = b64(32)): string {
  return `$pbkdf2${digest}$${parameters}$${salt}$${key}`;
}

/**
 * Returns a hash in the layout of ASP.NET Core Identity v3. `salt` and `key` are lengths in bytes; `saltWritten` is
 * the real length of the salt if it differs from the one in the header.
 */
export function identity(
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

export const bcryptSalt = 'o6hx.Wog/wvFSkT/Bp/6DO';
export const bcryptKey = 'xCtLRTDj7lm9on9suF/WaCGNVHbkfL6';
