import { ConfigError, readConfig } from '../config.ts';
import type { WebhookStore } from '../core/webhooks/webhook.ts';
import type { Database } from '../storage/database.ts';
import { refuseUnmigrated } from '../storage/migrations.ts';
import { openWebhooks } from '../storage/webhooks.ts';
import { openStore } from '../store.ts';

/** Opens the endpoints of the store for one command. */
export async function withWebhooks(
  work: (store: WebhookStore, database: Database) => Promise<void>,
): Promise<void> {
  const { database, close } = await openStore(readConfig(process.env), { as: 'visitor', log: () => {} });
  try {
    await refuseUnmigrated(database);
    await work(openWebhooks(database), database);
  } finally {
    await close();
  }
}

export function noWebhook(id: string): ConfigError {
  return new ConfigError(`no webhook has the number ${id}; "anagrafe webhook list" shows them`);
}

export function readId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw noWebhook(text);
  return Number(text);
}
