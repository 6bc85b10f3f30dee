import { type Principal, type PrincipalEdit, principalFields, type UpsertTuple } from '@anagrafe/client';
import { Command } from 'commander';
import { ConfigError } from '../../settings/config.ts';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import { fieldOptions, fieldsOf, withFields } from '../field-options.ts';
import {
  findPrincipal,
  type LookupOptions,
  nameOf,
  type PrincipalKey,
  principalKeys,
  withLookup,
} from '../lookup.ts';
import { counted } from '../output/format.ts';
import { print, tell } from '../output/output.ts';
import { confirm } from '../output/prompt.ts';
import { printRecord } from '../output/rows.ts';

interface PrincipalOptions extends ConnectionOptions, LookupOptions<PrincipalKey> {
  readonly json?: boolean;
}

export function principalCommand(): Command {
  const command = new Command('principal').description('show and change one principal');
  command.addCommand(leaf('show', 'show a principal; "list --users --id" lists its users').action(show));
  command.addCommand(createCommand());
  command.addCommand(
    withFields(
      leaf('edit', 'change fields of a principal; omitted fields stay', {
        example: 'C-1001 --denomination "Rossi Spa" --email ""',
        help: '\nAn empty text clears a field.\n',
      }),
      principalFields,
    ).action(edit),
  );
  for (const [name, state, about] of [
    ['disable', 'disabled', 'block sign-in for all users of a principal; their sessions end'],
    ['enable', 'active', 'allow sign-in for the users of a principal again'],
  ] as const)
    command.addCommand(
      leaf(name, about).action((text: string, options: PrincipalOptions) =>
        change(text, options, { State: state }),
      ),
    );
  command.addCommand(mergeCommand());
  command.addCommand(
    leaf('delete', 'delete a principal with all its users; this cannot be undone')
      .option('--yes', 'delete without asking')
      .action(remove),
  );
  return command;
}

function leaf(
  name: string,
  about: string,
  { example = 'C-1001', help = '' }: { example?: string; help?: string } = {},
): Command {
  const command = new Command(name)
    .argument('<principal>', 'ID or external key of the principal')
    .description(about)
    .option('--json', 'print the result as JSON');
  return withConnection(withLookup(command, principalKeys, '<principal>')).addHelpText(
    'after',
    `${help}\nExample:\n  anagrafe principal ${name} ${example}`,
  );
}

function mergeCommand(): Command {
  const command = new Command('merge')
    .argument('<principal>', 'ID or external key of the principal that remains')
    .argument('<from>', 'ID or external key of the principal that is merged into it, and then deleted')
    .description('merge two principals: the users of one move to the other; this cannot be undone')
    .option('--dry-run', 'show what would change and stop')
    .option('--yes', 'merge without asking')
    .option('--json', 'print the result as JSON');
  return withConnection(withLookup(command, principalKeys, '<principal> and <from>'))
    .addHelpText(
      'after',
      `
The users keep their IDs and passwords; their sessions end. The principal that remains keeps its values and gets
those that it lacks. The external key of the other one becomes an alias: files that contain it find the principal
that remains.

Example:
  anagrafe principal merge C-1001 1001`,
    )
    .action(merge);
}

interface MergeOptions extends PrincipalOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

async function merge(text: string, fromText: string, options: MergeOptions): Promise<void> {
  const { anagrafe } = await reach(options);
  const principal = await findPrincipal(anagrafe, text, options.by);
  const from = await findPrincipal(anagrafe, fromText, options.by);
  const records = [{ ID: principal.ID, From: { ID: from.ID } }];
  const { tuples, plan } = await anagrafe.merge(records, { dryRun: true, representation: true });
  const planned = appliedTuple(tuples);
  const { Changes = [], Kept = [] } = planned.Item6;
  tell(`Merge ${nameOf(from)} with ${counted(from.UsersCount, 'user')} into ${nameOf(principal)}:`);
  for (const { Field, To } of Changes) tell(`  ${Field}: ${String(To)}`);
  for (const { Field, Other } of Kept)
    tell(`  ${Field}: stays as it is; the other value, ${String(Other ?? '')}, is dropped`);
  if (options.dryRun || !(options.yes || (await confirm('Merge them? This cannot be undone.')))) {
    tell('Nothing was changed.');
    if (options.json) print(JSON.stringify(planned));
    return;
  }
  const merged = appliedTuple(
    (await anagrafe.merge(records, { ifMatch: plan, representation: true })).tuples,
  );
  if (options.json) print(JSON.stringify(merged));
  else tell(`Merged ${nameOf(from)} into ${nameOf(principal)}.`);
}

function appliedTuple(tuples: readonly UpsertTuple[]): UpsertTuple {
  const [tuple] = tuples;
  const reasons = Object.values(tuple?.Item5 ?? {}).flatMap((errors) => errors.map(({ message }) => message));
  if (!tuple?.Item3) throw new ConfigError([...new Set(reasons)].join(' ') || (tuple?.Item4 ?? ''));
  return tuple;
}

async function show(text: string, options: PrincipalOptions): Promise<void> {
  const { anagrafe } = await reach(options);
  printPrincipal(await findPrincipal(anagrafe, text, options.by), options);
}

function printPrincipal({ Users, ...principal }: Principal, { json }: { json?: boolean }): void {
  if (json) print(JSON.stringify(principal));
  else printRecord(principal);
}

function createCommand(): Command {
  const command = new Command('create')
    .description('create a principal without users')
    .option('--json', 'print the principal as JSON');
  return withConnection(withFields(command, principalFields))
    .addHelpText(
      'after',
      '\nExample:\n  anagrafe principal create --external-key C-1001 --denomination "Rossi Srl"',
    )
    .action(create);
}

async function create(options: ConnectionOptions & { json?: boolean }): Promise<void> {
  const fields = fieldsOf(principalFields, options, {});
  const { anagrafe } = await reach(options);
  const id = await anagrafe.create(fields);
  printPrincipal(await findPrincipal(anagrafe, String(id), 'id'), options);
}

async function edit(text: string, options: PrincipalOptions): Promise<void> {
  const { ExternalKey: NewExternalKey, ...fields } = fieldsOf(principalFields, options, {});
  const wanted = { ...fields, ...(NewExternalKey !== undefined && { NewExternalKey }) };
  if (Object.keys(wanted).length === 0)
    throw new ConfigError(`Nothing to change. Options: ${fieldOptions(principalFields).join(', ')}.`);
  return change(text, options, wanted);
}

async function change(text: string, options: PrincipalOptions, wanted: PrincipalEdit): Promise<void> {
  const { anagrafe } = await reach(options);
  const { ID } = await findPrincipal(anagrafe, text, options.by);
  await anagrafe.edit(ID, wanted);
  printPrincipal(await findPrincipal(anagrafe, String(ID), 'id'), options);
}

async function remove(text: string, options: PrincipalOptions & { yes?: boolean }): Promise<void> {
  const { anagrafe } = await reach(options);
  const principal = await findPrincipal(anagrafe, text, options.by);
  const { ID, UsersCount } = principal;
  const users = counted(UsersCount, 'user');
  const named = `principal ${ID} (${nameOf(principal)}) with its ${users}`;
  if (!options.yes && !(await confirm(`Delete ${named}? This cannot be undone.`)))
    return tell('Nothing was deleted.');
  await anagrafe.remove(ID);
  if (options.json) return print(JSON.stringify({ ID, users: UsersCount, deleted: true }));
  tell(`Deleted ${named}.`);
}
