import type { KeyRing } from '../encryption/key-ring.ts';
import type { SecretEncryption } from './delivery.ts';
import { webhookName } from './webhook.ts';

export function secretEncryption(secret: string, keyRing: KeyRing): SecretEncryption {
  return async (connection, id) => {
    await keyRing.lock(connection);
    return keyRing.encryptSecret(secret, webhookName(id));
  };
}
