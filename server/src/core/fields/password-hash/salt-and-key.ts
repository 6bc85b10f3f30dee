/** Below 8 bytes salts repeat, and argon2 does not allow them. */
const salt = { min: 8, max: 64 };
/** A key below 16 bytes could be met by chance. */
const key = { min: 16, max: 64 };

export interface SaltAndKey {
  readonly salt: Buffer;
  readonly key: Buffer;
}

export function pairSaltAndKey(saltBytes: Buffer | null, keyBytes: Buffer | null): SaltAndKey | null {
  if (!saltBytes || saltBytes.length < salt.min || saltBytes.length > salt.max) return null;
  if (!keyBytes || keyBytes.length < key.min || keyBytes.length > key.max) return null;
  return { salt: saltBytes, key: keyBytes };
}
