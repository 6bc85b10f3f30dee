import { operatorActor } from '../../server/src/audit/audit-log.ts';
import { KeyRing } from '../../server/src/encryption/key-ring.ts';
import { findMasterKeys } from '../../server/src/settings/master-key-file.ts';
import { secretEncryption } from '../../server/src/webhooks/secret-encryption.ts';
import { newWebhookSecret, type WebhookOptions } from '../../server/src/webhooks/webhook.ts';
import { openWebhookStore } from '../../server/src/webhooks/webhooks.store.ts';
import type { TestService } from './service.ts';

/** Creates a webhook; unless `options` says otherwise, it receives all event types with the granularity `user`. */
export async function subscribe(
  { config, database }: Pick<TestService, 'config' | 'database'>,
  url: string,
  options: Partial<WebhookOptions> = {},
): Promise<{ id: number; secret: string }> {
  const keyRing = new KeyRing(...(await findMasterKeys(config)));
  const secret = newWebhookSecret();
  const { id } = await openWebhookStore(database).create(
    { url, types: [], granularity: 'user', ...options },
    secretEncryption(secret, keyRing),
    null,
    operatorActor,
  );
  return { id, secret };
}
