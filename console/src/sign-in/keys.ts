import type { ConsoleKeys } from '@anagrafe/client';

/** What was written into the two fields; `<public>.<secret>` in the first one is both. Null where one is missing. */
export function readKeys(publicKey: string, secretKey: string): ConsoleKeys | null {
  const [first = '', second = ''] = publicKey.trim().split('.');
  const PublicKey = first.trim();
  const SecretKey = (secretKey.trim() || second).trim();
  return PublicKey !== '' && SecretKey !== '' ? { PublicKey, SecretKey } : null;
}
