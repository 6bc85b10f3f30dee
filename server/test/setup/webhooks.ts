import { theOperator } from '../../src/core/journal/journal.ts';
import { Vault } from '../../src/core/sealing/vault.ts';
import { newWebhookSecret, type WebhookWish, webhookName } from '../../src/core/webhooks/webhook.ts';
import { findMasterKey } from '../../src/master-key.ts';
import { openWebhooks } from '../../src/storage/webhooks.ts';
import type { TestService } from './service.ts';

/** Has an endpoint told of events, from now on. */
export async function subscribe(
  { config, database }: Pick<TestService, 'config' | 'database'>,
  url: string,
  wish: Partial<WebhookWish> = {},
): Promise<{ id: number; secret: string }> {
  const key = await findMasterKey(config);
  if (!key) throw new Error('the service has no master key');
  const vault = new Vault(key);
  const secret = newWebhookSecret();
  const { id } = await openWebhooks(database).create(
    { url, types: [], granularity: 'user', ...wish },
    (made) => vault.sealSecret(secret, webhookName(made)),
    null,
    theOperator,
  );
  return { id, secret };
}
