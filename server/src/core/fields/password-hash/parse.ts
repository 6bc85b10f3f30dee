import { type Argon2Hash, parseArgon2 } from './argon2.ts';
import { type BcryptHash, parseBcrypt } from './bcrypt.ts';
import { parseIdentity } from './identity.ts';
import { type Pbkdf2Hash, parsePbkdf2 } from './pbkdf2.ts';

export type PasswordHash = Argon2Hash | BcryptHash | Pbkdf2Hash;

/** The longest form, PBKDF2 with the longest salt and key, has some 210 characters. */
const longest = 256;

/** What a hash says of itself, whatever its cost; null unless it is written as the maker of its form writes it. */
export function parsePasswordHash(text: string): PasswordHash | null {
  if (text.length > longest) return null;
  return parseArgon2(text) ?? parseBcrypt(text) ?? parsePbkdf2(text) ?? parseIdentity(text);
}
