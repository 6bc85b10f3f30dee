import type { Database } from '../db/database.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { Config } from '../settings/config.ts';
import { secretEncryption } from './secret-encryption.ts';
import { openSigning } from './sender.ts';
import type { WebhookTools } from './webhooks.routes.ts';
import { openWebhookStore } from './webhooks.store.ts';

export function openWebhooks(parts: { database: Database; keyRing: KeyRing; config: Config }): WebhookTools {
  const { database, keyRing, config } = parts;
  return {
    ...openSigning(keyRing, config.WEBHOOK_NETWORKS),
    store: openWebhookStore(database),
    encryptionOf: (secret) => secretEncryption(secret, keyRing),
    networks: config.WEBHOOK_NETWORKS,
  };
}
