import { Command, InvalidArgumentError, Option } from 'commander';
import { operatorActor } from '../../audit/audit-log.ts';
import { type Scope, scopes } from '../../clients/access.ts';
import { openClients } from '../../clients/clients.store.ts';
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
import { ConfigError, readConfig } from '../../config.ts';
import { isNetwork } from '../../lib/network.ts';
import { withDatabase } from '../database.ts';
import { readChoices } from '../output/format.ts';
import { print, tell } from '../output/output.ts';

export function clientCommand(): Command {
  const command = new Command('client').description('manage the API clients that may call the service');

  command
    .command('create')
    .description('create an API client; its secret is shown once')
    .requiredOption('--name <name>', 'the name of the client in logs and lists')
    .addOption(scopeOption().default([...defaultScopes], defaultScopes.join(',')))
    .option(
      '--network <networks>',
      'networks that it may call from, such as 10.0.0.0/8,192.168.1.4',
      readNetworks,
      [],
    )
    .option('--known-by-address', 'accept calls from these networks without a credential', false)
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  anagrafe client create --name erp --scope sync:write,sync:read --network 10.0.0.0/8',
    )
    .action(create);

  command
    .command('list')
    .description('list the API clients')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe client list')
    .action(list);

  command
    .command('update <public-key>')
    .description('change a client, from its next call on; options that are not given stay unchanged')
    .option('--name <name>', 'the name of the client in logs and lists')
    .addOption(scopeOption())
    .option(
      '--network <networks>',
      'networks that it may call from, instead of the present ones',
      readNetworks,
    )
    .option('--no-network', 'allow calls from every address')
    .option('--known-by-address', 'accept calls from its networks without a credential')
    .option('--no-known-by-address', 'require a credential from its networks again')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  anagrafe client update agp_1x2y3z --scope sync:read --network 10.0.0.0/8',
    )
    .action(update);

  command
    .command('rotate <public-key>')
    .description('create a new secret for a client; the old one stays valid for a while')
    .option('--grace-hours <hours>', 'hours until the old secret expires', readHours, defaultGraceHours)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe client rotate agp_1x2y3z --grace-hours 48')
    .action(rotate);

  command
    .command('revoke <public-key>')
    .description('revoke a client, from its next call on')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe client revoke agp_1x2y3z')
    .action(revoke);
  return command;
}

interface CreateOptions {
  name: string;
  scope: Scope[];
  network: string[];
  knownByAddress: boolean;
  json?: boolean;
}

function create({ name, scope, network, knownByAddress, json }: CreateOptions): Promise<void> {
  return withClients(async (store, place) => {
    const first = (await store.listClients()).length === 0;
    const options = { name, scopes: scope, networks: network, knownByAddress };
    const { client, secret } = await createClient(options, store, operatorActor);
    if (json) return print(JSON.stringify({ ...client, secret }));
    showSecret(client.publicKey, secret);
    tell(`\nClient "${name}" may use: ${client.scopes.join(', ')}. It is in the store ${place}.`);
    if (first) tell('Protected mode is over.');
  });
}

function list({ json }: { json?: boolean }): Promise<void> {
  return withClients(async (store) => {
    const clients = await store.listClients();
    if (json) return print(JSON.stringify(clients));
    if (clients.length === 0)
      return tell('No API client yet. Create one with: npx --no -- anagrafe client create --name erp');
    for (const client of clients) print(describe(client));
  });
}

interface UpdateOptions {
  name?: string;
  scope?: Scope[];
  network?: string[] | false;
  knownByAddress?: boolean;
  json?: boolean;
}

function update(
  publicKey: string,
  { name, scope, network, knownByAddress, json }: UpdateOptions,
): Promise<void> {
  const change: ClientChange = {
    ...(name !== undefined && { name }),
    ...(scope && { scopes: scope }),
    ...(network !== undefined && { networks: network || [] }),
    ...(knownByAddress !== undefined && { knownByAddress }),
  };
  if (Object.keys(change).length === 0)
    throw new ConfigError('no change was given; "anagrafe client update --help" lists the options');
  return withClients(async (store) => {
    const client = await updateClient(publicKey, change, store, operatorActor);
    if (json) return print(JSON.stringify(client));
    print(describe(client));
  });
}

function rotate(
  publicKey: string,
  { graceHours, json }: { graceHours: number; json?: boolean },
): Promise<void> {
  return withClients(async (store) => {
    const oldEndsAt = graceEnd(graceHours);
    const secret = await rotateSecret(publicKey, oldEndsAt, store, operatorActor);
    if (json) return print(JSON.stringify({ publicKey, secret, oldEndsAt }));
    showSecret(publicKey, secret);
    tell(`\nThe old secret is valid until ${oldEndsAt.toISOString()}.`);
  });
}

function revoke(publicKey: string, { json }: { json?: boolean }): Promise<void> {
  return withClients(async (store) => {
    await revokeClient(publicKey, store, operatorActor);
    if (json) return print(JSON.stringify({ publicKey, revoked: true }));
    tell(`Client ${publicKey} is revoked, from its next call on.`);
  });
}

function withClients(work: (store: ClientStore, place: string) => Promise<void>): Promise<void> {
  return withDatabase(readConfig(process.env), (database, place) => work(openClients(database), place));
}

function showSecret(publicKey: string, secret: string): void {
  print(`SyncPublicKey: ${publicKey}`);
  print(`SyncSecretKey: ${secret}`);
  tell('\nThe secret is shown only now: store it safely.');
  tell(
    'The commands take it as ANAGRAFE_KEY=<public>.<secret>, or from a file with these two lines with --key-file.',
  );
}

function describe(client: Client): string {
  const state = client.revokedAt ? `revoked ${client.revokedAt.toISOString()}` : 'live';
  const where = client.networks.length > 0 ? ` from ${client.networks.join(',')}` : '';
  const known = client.knownByAddress ? ' (known by address)' : '';
  return `${client.publicKey}  ${client.name}  ${client.scopes.join(',')}${where}${known}  ${state}`;
}

function scopeOption(): Option {
  return new Option('--scope <scopes>', 'its scopes, separated by commas')
    .choices(scopes)
    .argParser((text) => readChoices(text, scopes));
}

function readNetworks(text: string): string[] {
  const networks = text.split(',').map((network) => network.trim());
  if (!networks.every(isNetwork))
    throw new InvalidArgumentError('It takes addresses or networks such as 10.0.0.0/8, separated by commas.');
  return networks;
}

export function readHours(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It takes a number of hours.');
  return Number(text);
}
