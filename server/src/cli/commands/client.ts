import { Command, InvalidArgumentError, Option } from 'commander';
import { operatorActor } from '../../audit/audit-log.ts';
import { openClientStore } from '../../clients/clients.store.ts';
import {
  type Client,
  type ClientChange,
  type ClientStore,
  createClient,
  defaultGraceHours,
  defaultScopes,
  graceEnd,
  revokeClient,
  rotateSecret,
  updateClient,
} from '../../clients/clients.ts';
import { type Scope, scopes } from '../../clients/permissions.ts';
import type { CallerTags } from '../../db/visibility.ts';
import { isNetwork } from '../../lib/network.ts';
import { commandLine } from '../../lib/operator-error.ts';
import { type Config, ConfigError } from '../../settings/config.ts';
import { withDatabase } from '../database.ts';
import { localOnlyHint } from '../output/banner.ts';
import { readChoices, tagsOption } from '../output/format.ts';
import { print, tell } from '../output/output.ts';
import { configFor, type SettingsOptions } from '../settings.ts';

const publicKeyText = 'public key of the client';

export function clientCommand(): Command {
  const command = new Command('client').description('manage API clients');

  command
    .command('create')
    .description('create an API client; its secret key is shown only once')
    .requiredOption('--name <name>', 'name of the client, for logs and lists')
    .addOption(scopeOption().default([...defaultScopes], defaultScopes.join(',')))
    .addOption(
      new Option(
        '--network <networks>',
        'networks that the client may call from, separated by commas, such as 10.0.0.0/8,192.168.1.4',
      )
        .argParser(readNetworks)
        .default([], 'any'),
    )
    .option('--known-by-address', 'accept calls from these networks without a credential', false)
    .addOption(tagsOption('limit the client to the principals that have one of these tags'))
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  anagrafe client create --name erp --scope sync:write,sync:read --network 10.0.0.0/8',
    )
    .action(create);

  command
    .command('list')
    .description('list API clients')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe client list')
    .action(list);

  command
    .command('update')
    .argument('<public-key>', publicKeyText)
    .description('change an API client, effective from its next call; values of omitted options are kept')
    .option('--name <name>', 'name of the client, for logs and lists')
    .addOption(scopeOption())
    .option(
      '--network <networks>',
      'networks that the client may call from; replaces the current ones',
      readNetworks,
    )
    .option('--no-network', 'allow calls from any address')
    .option('--known-by-address', 'accept calls from its networks without a credential')
    .option('--no-known-by-address', 'require a credential for every call')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  anagrafe client update agp_1x2y3z --scope sync:read --network 10.0.0.0/8',
    )
    .action(update);

  command
    .command('rotate')
    .argument('<public-key>', publicKeyText)
    .description('create a new secret key; the old one stays valid for the grace period')
    .option(
      '--grace-hours <hours>',
      'grace period: hours until the old secret key expires',
      readHours,
      defaultGraceHours,
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe client rotate agp_1x2y3z --grace-hours 48')
    .action(rotate);

  command
    .command('revoke')
    .argument('<public-key>', publicKeyText)
    .description('revoke an API client, effective from its next call')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe client revoke agp_1x2y3z')
    .action(revoke);
  return command;
}

interface CreateOptions extends SettingsOptions {
  name: string;
  scope: Scope[];
  network: string[];
  knownByAddress: boolean;
  tags: CallerTags;
  json?: boolean;
}

function create({
  name,
  scope,
  network,
  knownByAddress,
  tags,
  json,
  ...settings
}: CreateOptions): Promise<void> {
  return withClients(settings, async (store, place, config) => {
    const first = (await store.listClients()).length === 0;
    const options = { name, scopes: scope, networks: network, knownByAddress, tags };
    const { client, secret } = await createClient(options, store, operatorActor);
    if (json) return print(JSON.stringify({ ...client, secret }));
    showSecret(client.publicKey, secret);
    tell('', `Created client "${name}" with the scopes ${client.scopes.join(', ')}. Database: ${place}`);
    if (!first) return;
    tell('Protected mode is off: calls now need an API client.');
    const hint = localOnlyHint(config);
    if (hint !== null) tell(hint);
  });
}

function list({ json, ...settings }: SettingsOptions & { json?: boolean }): Promise<void> {
  return withClients(settings, async (store) => {
    const clients = await store.listClients();
    if (json) return print(JSON.stringify(clients));
    if (clients.length === 0)
      return tell(`No API clients. Create one with: ${commandLine('client create --name erp')}`);
    for (const client of clients) print(describe(client));
  });
}

interface UpdateOptions extends SettingsOptions {
  name?: string;
  scope?: Scope[];
  network?: string[] | false;
  knownByAddress?: boolean;
  json?: boolean;
}

function update(
  publicKey: string,
  { name, scope, network, knownByAddress, json, ...settings }: UpdateOptions,
): Promise<void> {
  const change: ClientChange = {
    ...(name !== undefined && { name }),
    ...(scope && { scopes: scope }),
    ...(network !== undefined && { networks: network || [] }),
    ...(knownByAddress !== undefined && { knownByAddress }),
  };
  if (Object.keys(change).length === 0)
    throw new ConfigError('Nothing to change. "anagrafe client update --help" lists the options.');
  return withClients(settings, async (store) => {
    const client = await updateClient(publicKey, change, store, operatorActor);
    if (json) return print(JSON.stringify(client));
    print(describe(client));
  });
}

function rotate(
  publicKey: string,
  { graceHours, json, ...settings }: SettingsOptions & { graceHours: number; json?: boolean },
): Promise<void> {
  return withClients(settings, async (store) => {
    const oldEndsAt = graceEnd(graceHours);
    const secret = await rotateSecret(publicKey, oldEndsAt, store, operatorActor);
    if (json) return print(JSON.stringify({ publicKey, secret, oldEndsAt }));
    showSecret(publicKey, secret);
    tell('', `The old secret key is valid until ${oldEndsAt.toISOString()}.`);
  });
}

function revoke(
  publicKey: string,
  { json, ...settings }: SettingsOptions & { json?: boolean },
): Promise<void> {
  return withClients(settings, async (store) => {
    await revokeClient(publicKey, store, operatorActor);
    if (json) return print(JSON.stringify({ publicKey, revoked: true }));
    tell(`Client ${publicKey} is revoked. Its next call is refused.`);
  });
}

function withClients(
  options: SettingsOptions,
  work: (store: ClientStore, place: string, config: Config) => Promise<void>,
): Promise<void> {
  const config = configFor(options);
  return withDatabase(config, (database, place) => work(openClientStore(database), place, config));
}

function showSecret(publicKey: string, secret: string): void {
  print(`Public key: ${publicKey}`);
  print(`Secret key: ${secret}`);
  tell('', 'Store the secret key now: it is not shown again.');
  tell(
    'To use it in commands, set ANAGRAFE_KEY=<public>.<secret>, or save these two lines to a file for --key-file.',
  );
}

function describe(client: Client): string {
  const state = client.revokedAt ? `revoked ${client.revokedAt.toISOString()}` : 'active';
  const where = client.networks.length > 0 ? ` from ${client.networks.join(',')}` : '';
  const known = client.knownByAddress ? ' (identified by IP address)' : '';
  const tags = client.tags ? ` with tags ${client.tags.join(',')}` : '';
  return `${client.publicKey}  ${client.name}  ${client.scopes.join(',')}${tags}${where}${known}  ${state}`;
}

function scopeOption(): Option {
  return new Option('--scope <scopes>', 'scopes, separated by commas')
    .choices(scopes)
    .argParser((text) => readChoices(text, scopes));
}

function readNetworks(text: string): string[] {
  const networks = text.split(',').map((network) => network.trim());
  if (!networks.every(isNetwork))
    throw new InvalidArgumentError(
      'Expected IP addresses or networks, separated by commas, such as 10.0.0.0/8,192.168.1.4.',
    );
  return networks;
}

export function readHours(text: string): number {
  if (!/^\d{1,4}$/.test(text))
    throw new InvalidArgumentError('Expected a whole number of hours, at most 9999.');
  return Number(text);
}
