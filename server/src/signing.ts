import type { Config } from './config.ts';
import type { Vault } from './core/sealing/vault.ts';
import type { Signing } from './core/webhooks/attempt.ts';
import { webhookName } from './core/webhooks/webhook.ts';
import { networkList } from './network.ts';
import { version } from './version.ts';
import { openSender } from './webhooks/sender.ts';

/** What messages to webhooks are signed with, and the way they go, for the service and the command line. */
export function openSigning(vault: Vault, config: Config): Signing {
  return {
    openSecret: (sealed, id) => vault.openSecret(sealed, webhookName(id)),
    send: openSender(networkList(config.WEBHOOK_NETWORKS), version).send,
  };
}
