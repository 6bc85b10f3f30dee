import { Command, Option } from 'commander';
import { operatorActor } from '../../audit/audit-log.ts';
import { type EventType, eventTypes } from '../../audit/events.ts';
import { openClientStore } from '../../clients/clients.store.ts';
import type { Database } from '../../db/database.ts';
import { ApiError } from '../../lib/field-errors.ts';
import { commandLine } from '../../lib/operator-error.ts';
import { describeReason } from '../../lib/webhook-failures.ts';
import { ConfigError } from '../../settings/config.ts';
import type { Delivery, WebhookStore } from '../../webhooks/delivery.ts';
import { secretEncryption } from '../../webhooks/secret-encryption.ts';
import { checkEndpoint } from '../../webhooks/sender.ts';
import {
  canDeliver,
  type Granularity,
  granularities,
  jobEventTypes,
  newWebhookSecret,
  readUrl,
  type Webhook,
} from '../../webhooks/webhook.ts';
import { openWebhookStore } from '../../webhooks/webhooks.store.ts';
import { withDatabase, withKeyRing } from '../database.ts';
import { readChoices } from '../output/format.ts';
import { print, tell } from '../output/output.ts';
import { configFor, type SettingsOptions } from '../settings.ts';
import { noWebhook, readId, secretCommands } from './webhook-secret.ts';

const idText = 'ID of the webhook';

export function webhookCommand(): Command {
  const command = new Command('webhook').description('manage webhooks, which send events to an endpoint');

  command
    .command('create')
    .argument('<url>', 'URL of the endpoint')
    .description('send events to an endpoint from now on; the secret is shown only once')
    .addOption(
      new Option('--types <types>', 'event types to send, separated by commas')
        .choices(eventTypes)
        .argParser((text) => readChoices(text, eventTypes))
        .default([], 'all'),
    )
    .addOption(
      new Option('--granularity <what>', 'send one message per user, record or job')
        .choices(granularities)
        .default('record'),
    )
    .option(
      '--client <public-key>',
      'public key of the owner, a client with the scope admin; the webhook is disabled if the client is revoked or loses the scope',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  anagrafe webhook create https://erp.example.com/hooks --types user.registered,user.password_reset',
    )
    .action(create);

  command
    .command('list')
    .description('list webhooks')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe webhook list')
    .action(list);

  for (const [name, enabled, what] of [
    ['enable', true, 'enable a webhook; it then receives the events it missed'],
    ['disable', false, 'disable a webhook'],
  ] as const) {
    command
      .command(name)
      .argument('<id>', idText)
      .description(what)
      .option('--json', 'print the result as JSON')
      .addHelpText('after', `\nExample:\n  anagrafe webhook ${name} 3`)
      .action((id: string, options: PrintOptions) => change(id, enabled, options));
  }

  command
    .command('delete')
    .argument('<id>', idText)
    .description('delete a webhook')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe webhook delete 3')
    .action(remove);

  command
    .command('deliveries')
    .argument('<id>', idText)
    .description('list the latest deliveries of a webhook, newest first')
    .option('--failed', 'show only failed deliveries', false)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe webhook deliveries 3 --failed')
    .action(deliveries);

  command
    .command('replay')
    .argument('<id>', idText)
    .argument('[delivery]', 'ID of a delivery; default: all failed deliveries')
    .description('retry one delivery, or all failed deliveries')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe webhook replay 3')
    .action(replay);

  for (const one of secretCommands()) command.addCommand(one);
  return command;
}

interface PrintOptions extends SettingsOptions {
  readonly json?: boolean;
}

interface CreateOptions extends PrintOptions {
  types: EventType[];
  granularity: Granularity;
  client?: string;
}

async function create(
  text: string,
  { types, granularity, client, json, ...settings }: CreateOptions,
): Promise<void> {
  const config = configFor(settings);
  const options = { url: addressOf(text), types, granularity };
  checkEndpoint(options.url, config.WEBHOOK_NETWORKS);
  if (!canDeliver(options))
    throw new ConfigError(
      `With --granularity job, no message is sent for ${types.join(', ')}. Use --types with ${jobEventTypes.join(', ')}.`,
    );
  const secret = newWebhookSecret();
  return withKeyRing(config, async (keyRing, database) => {
    const encrypt = secretEncryption(secret, keyRing);
    const owner = client === undefined ? null : await clientId(client, database);
    const made = await openWebhookStore(database).create(options, encrypt, owner, operatorActor);
    if (json) return print(JSON.stringify({ ...made, secret }));
    print(`Webhook: ${made.id}`);
    print(`Secret:  ${secret}`);
    tell('', 'Store the secret now: it is not shown again. The endpoint verifies messages with it.');
  });
}

function withWebhooks(options: SettingsOptions, work: (store: WebhookStore) => Promise<void>): Promise<void> {
  return withDatabase(configFor(options), (database) => work(openWebhookStore(database)));
}

function list({ json, ...settings }: PrintOptions): Promise<void> {
  return withWebhooks(settings, async (store) => {
    const webhooks = await store.list();
    if (json) return print(JSON.stringify(webhooks));
    if (webhooks.length === 0)
      return tell(`No webhooks. Create one with: ${commandLine('webhook create https://…')}`);
    for (const webhook of webhooks) print(describe(webhook));
  });
}

function change(id: string, enabled: boolean, { json, ...settings }: PrintOptions): Promise<void> {
  return withWebhooks(settings, async (store) => {
    const changed = await store.change(readId(id), { enabled }, operatorActor).catch((error) => {
      throw error instanceof ApiError && error.detail.code === 'FORBIDDEN' ? ownerNotAllowed(id) : error;
    });
    if (!changed) throw noWebhook(id);
    if (json) return print(JSON.stringify(changed));
    tell(`Webhook ${id} is ${enabled ? 'enabled' : 'disabled'}.`);
  });
}

function remove(id: string, { json, ...settings }: PrintOptions): Promise<void> {
  return withWebhooks(settings, async (store) => {
    if (!(await store.remove(readId(id), operatorActor))) throw noWebhook(id);
    if (json) return print(JSON.stringify({ id: readId(id), deleted: true }));
    tell(`Webhook ${id} is deleted.`);
  });
}

function deliveries(
  id: string,
  { failed, json, ...settings }: PrintOptions & { failed: boolean },
): Promise<void> {
  return withWebhooks(settings, async (store) => {
    if (!(await store.find(readId(id)))) throw noWebhook(id);
    const found = await store.deliveries(readId(id), { page: 1, pageSize: 100, failedOnly: failed });
    if (json) return print(JSON.stringify(found.deliveries));
    for (const delivery of found.deliveries) print(describeDelivery(delivery));
    tell(`Showing ${found.deliveries.length} of ${found.totalCount} deliveries.`);
  });
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function replay(
  id: string,
  delivery: string | undefined,
  { json, ...settings }: PrintOptions,
): Promise<void> {
  return withWebhooks(settings, async (store) => {
    const webhook = await store.find(readId(id));
    if (!webhook) throw noWebhook(id);
    if (delivery !== undefined && !uuid.test(delivery))
      throw new ConfigError(
        `${delivery} is not the ID of a delivery. To list the deliveries, run: ${commandLine(`webhook deliveries ${id}`)}`,
      );
    const count = await store.replay(readId(id), delivery ?? null, operatorActor);
    if (json) return print(JSON.stringify({ replayed: count }));
    tell(
      count === 0
        ? 'No deliveries to retry.'
        : `Retrying ${count} ${count === 1 ? 'delivery' : 'deliveries'}.`,
    );
    if (count > 0 && webhook.disabledAt)
      tell(`The webhook is disabled. To send them, run: ${commandLine(`webhook enable ${id}`)}`);
  });
}

function ownerNotAllowed(id: string): ConfigError {
  return new ConfigError(
    `Cannot enable webhook ${id}: its client is revoked or does not have the scope admin. Add the scope with "anagrafe client update", or create the webhook with another client.`,
  );
}

async function clientId(publicKey: string, database: Database): Promise<number> {
  const clients = await openClientStore(database).listClients();
  const found = clients.find((client) => client.publicKey === publicKey && client.revokedAt === null);
  if (found && !found.scopes.includes('admin'))
    throw new ConfigError(
      `Client ${publicKey} does not have the scope admin, which the owner of a webhook needs. Add it with "anagrafe client update".`,
    );
  if (found) return found.id;
  throw new ConfigError(
    `No active client has the public key ${publicKey}. To list the clients, run: ${commandLine('client list')}`,
  );
}

function describe({ id, url, types, granularity, disabledAt, disabledReason }: Webhook): string {
  const reason = disabledReason ? `: ${describeReason(disabledReason, 'en')}` : '';
  const state = disabledAt ? `disabled ${disabledAt.toISOString()}${reason}` : 'active';
  return `${id}  ${url}  ${types.length > 0 ? types.join(',') : 'all'}  per ${granularity}  ${state}`;
}

function describeDelivery({ id, type, state, attempts, status, failure, createdAt }: Delivery): string {
  const result = status ?? (failure ? describeReason(failure, 'en') : 'not sent yet');
  return `${createdAt.toISOString()}  ${id}  ${type}  ${state} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}: ${result}`;
}

function addressOf(text: string): string {
  const url = readUrl(text);
  if (url === null)
    throw new ConfigError(
      `${text} is not a valid endpoint. Use an http or https URL without a user name, a password and a fragment.`,
    );
  return url;
}
