import { ConfigError, readConfig } from '../config.ts';
import type { Database } from '../db/database.ts';
import { refuseUnmigrated } from '../db/migrations.ts';
import { openStore } from '../store.ts';
import type { WebhookStore } from '../webhooks/delivery.ts';
import { openWebhooks } from '../webhooks/webhooks.store.ts';

/** Opens the webhook store for one command and closes it afterwards. */
export async function withWebhooks(
  work: (store: WebhookStore, database: Database) => Promise<void>,
): Promise<void> {
  const { database, close } = await openStore(readConfig(process.env), { mode: 'existing', log: () => {} });
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
