import type { Database } from '../db/database.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { Config } from '../settings/config.ts';
import { openSigning } from './sender.ts';
import { webhookName } from './webhook.ts';
import type { WebhookTools } from './webhooks.routes.ts';
import { openWebhookStore } from './webhooks.store.ts';

export function openWebhooks(parts: { database: Database; keyRing: KeyRing; config: Config }): WebhookTools {
  const { database, keyRing, config } = parts;
  return {
    ...openSigning(keyRing, config.WEBHOOK_NETWORKS),
    store: openWebhookStore(database),
    encryptSecret: (secret, id) => keyRing.encryptSecret(secret, webhookName(id)),
    networks: config.WEBHOOK_NETWORKS,
  };
}
