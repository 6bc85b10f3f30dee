import { pbkdf2 as pbkdf2WithCallback, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { verify as verifyArgon2 } from '@node-rs/argon2';
import { verify as verifyBcrypt } from '@node-rs/bcrypt';
import { parsePasswordHash } from '../core/fields/password-hash/parse.ts';
import type { Pbkdf2Hash } from '../core/fields/password-hash/pbkdf2.ts';

const pbkdf2 = promisify(pbkdf2WithCallback);
const bcryptBytes = 72;

/** Whether a hash, ours or an imported one, is that of the password. It is worked out off the event loop. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const parsed = parsePasswordHash(hash);
  if (!parsed) throw new Error('The stored password hash has no form that is known.');
  const bytes = Buffer.from(password);
  // No password may have a zero, and two algorithms would confuse it: to bcrypt "a\0a" is "a", to HMAC "a\0" is.
  if (bytes.includes(0)) return false;
  switch (parsed.kind) {
    case 'argon2':
      return verifyArgon2(hash, bytes);
    case 'bcrypt':
      // The systems that made these hashes left out what comes after 72 bytes, some in the middle of a character.
      // Whoever has a longer password can only log in if it is cut in the same place.
      return verifyBcrypt(bytes.subarray(0, bcryptBytes), hash);
    case 'pbkdf2':
      return verifyPbkdf2(bytes, parsed);
  }
}

async function verifyPbkdf2(
  password: Buffer,
  { salt, iterations, key, digest }: Pbkdf2Hash,
): Promise<boolean> {
  return timingSafeEqual(await pbkdf2(password, salt, iterations, key.length, digest), key);
}
