import { Command, Option } from 'commander';
import { operatorActor } from '../../audit/audit-log.ts';
import { disableWebhooks } from '../../clients/clients.store.ts';
import { type Role, roles } from '../../clients/permissions.ts';
import type { CallerTags } from '../../db/visibility.ts';
import { openOperatorTools } from '../../operators/open-operators.ts';
import {
  changeOperator,
  emailKey,
  type InvitedOperator,
  inviteOperator,
  type Operator,
  type OperatorTools,
  resetOperator,
} from '../../operators/operators.ts';
import { ConfigError } from '../../settings/config.ts';
import { withDatabase } from '../database.ts';
import { tagsOption } from '../output/format.ts';
import { print, tell } from '../output/output.ts';
import { configFor, type SettingsOptions } from '../settings.ts';

const emailText = 'email address of the operator';

interface JsonOption extends SettingsOptions {
  json?: boolean;
}

export function operatorCommand(): Command {
  const command = new Command('operator').description('manage operators, who sign in to the console');

  command
    .command('create')
    .argument('<email>', emailText)
    .description('create an operator; the code for its password is shown only once')
    .requiredOption('--name <name>', 'name of the operator, for the audit log')
    .addOption(
      new Option(
        '--role <role>',
        'viewer reads; desk also resets, invites and disables; editor also edits and imports; admin also manages',
      )
        .choices(roles)
        .makeOptionMandatory(),
    )
    .addOption(tagsOption('limit the operator to the principals that have one of these tags'))
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  anagrafe operator create anna@example.com --name "Anna Bianchi" --role admin',
    )
    .action(create);

  command
    .command('list')
    .description('list operators')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe operator list')
    .action(list);

  command
    .command('reset')
    .argument('<email>', emailText)
    .description(
      'remove password and second factor, end all sessions, enable the operator, and show a new code',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe operator reset anna@example.com')
    .action(reset);

  command
    .command('disable')
    .argument('<email>', emailText)
    .description('disable an operator and end its sessions; "reset" enables it again')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  anagrafe operator disable anna@example.com')
    .action(disable);
  return command;
}

function create(
  email: string,
  { name, role, tags, json, ...settings }: JsonOption & { name: string; role: Role; tags: CallerTags },
): Promise<void> {
  return withOperators(settings, async (tools) => {
    const invited = await inviteOperator({ email, name, role, tags }, tools, operatorActor);
    showCode(invited, json);
  });
}

function list({ json, ...settings }: JsonOption): Promise<void> {
  return withOperators(settings, async ({ store }) => {
    const operators = await store.list();
    if (json) return print(JSON.stringify(operators));
    if (operators.length === 0) return tell('No operators.');
    for (const operator of operators) print(describe(operator));
  });
}

function reset(email: string, { json, ...settings }: JsonOption): Promise<void> {
  return withOperators(settings, async (tools) => {
    const { id } = await operatorWith(email, tools);
    showCode(await resetOperator(id, tools, operatorActor), json);
  });
}

function disable(email: string, { json, ...settings }: JsonOption): Promise<void> {
  return withOperators(settings, async (tools) => {
    const { id } = await operatorWith(email, tools);
    const operator = await changeOperator(id, { disabled: true }, tools, operatorActor);
    print(json ? JSON.stringify(operator) : describe(operator));
  });
}

async function operatorWith(email: string, { store }: OperatorTools): Promise<Operator> {
  const found = (await store.list()).find((operator) => emailKey(operator.email) === emailKey(email));
  if (!found) throw new ConfigError(`There is no operator with the email address ${email}.`);
  return found;
}

function withOperators(
  options: SettingsOptions,
  work: (tools: OperatorTools) => Promise<void>,
): Promise<void> {
  const config = configFor(options);
  return withDatabase(config, (database) => work(openOperatorTools(database, config, disableWebhooks)));
}

function showCode({ operator, code }: InvitedOperator, json?: boolean): void {
  if (json) {
    print(JSON.stringify({ ...operator, code: code.text, expiresAt: code.expiresAt }));
    return;
  }
  print(`Operator: ${operator.email}`);
  print(`Code: ${code.text}`);
  tell('', `The operator sets its password with this code until ${code.expiresAt.toISOString()}.`);
}

function describe({ email, name, role, tags, state, hasSecondFactor }: Operator): string {
  return `${email}  ${name}  ${role}  ${state}${tags ? `  tags ${tags.join(',')}` : ''}${hasSecondFactor ? '  second factor' : ''}`;
}
