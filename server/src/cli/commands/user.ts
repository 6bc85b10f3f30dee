import { type UserEdit, type UserOfPrincipal, userFields } from '@anagrafe/client';
import { Command, InvalidArgumentError } from 'commander';
import { ConfigError } from '../../settings/config.ts';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import { fieldOptions, fieldsOf, withFields } from '../field-options.ts';
import {
  findPrincipal,
  findUser,
  type PrincipalKey,
  type UserOptions,
  userKeys,
  withLookup,
} from '../lookup.ts';
import { print, tell } from '../output/output.ts';
import { confirm, readNewPassword } from '../output/prompt.ts';
import { printRecord } from '../output/rows.ts';
import { sessionsCommand } from './user-sessions.ts';

const passwordHelp =
  '\nThe password is asked for at a prompt. If standard input is not a terminal, it is read from there, one line.\n';

export function userCommand(): Command {
  const command = new Command('user').description('show and change one user');
  command.addCommand(userLeaf('show', 'show a user').action(show));
  command.addCommand(registerCommand());
  command.addCommand(
    userLeaf('reset', 'set a new password for a user; its sessions end', {
      example: 'mario.rossi',
      help: passwordHelp,
    }).action(reset),
  );
  command.addCommand(editCommand());
  for (const [name, state, about] of [
    ['disable', 'disabled', 'block sign-in for a user; its sessions end'],
    ['enable', 'active', 'allow sign-in for a user again'],
  ] as const)
    command.addCommand(
      userLeaf(name, about).action((text: string, options: UserOptions) =>
        editUser(text, options, () => ({ State: state })),
      ),
    );
  command.addCommand(
    userLeaf('delete', 'delete a user; this cannot be undone')
      .option('--yes', 'delete without asking')
      .action(remove),
  );
  command.addCommand(sessionsCommand());
  return command;
}

/** Returns a command with the argument that names a user, and the options of every such command. */
export function userLeaf(
  name: string,
  about: string,
  { example = 'mario.rossi', help = '' }: { example?: string; help?: string } = {},
): Command {
  const command = new Command(name)
    .argument('<user>', 'username, email address or ID of the user')
    .description(about)
    .option('--json', 'print the result as JSON');
  return withConnection(withLookup(command, userKeys, '<user>')).addHelpText(
    'after',
    `${help}\nExample:\n  anagrafe user ${name} ${example}`,
  );
}

async function show(text: string, options: UserOptions): Promise<void> {
  const { anagrafe } = await reach(options);
  printUser(await findUser(anagrafe, text, options.by), options);
}

function printUser(user: UserOfPrincipal, { json }: { json?: boolean }): void {
  const { IRID, ID, ...rest } = user;
  if (json) print(JSON.stringify(user));
  else printRecord({ ID, Principal: IRID, ...rest });
}

interface RegisterOptions extends ConnectionOptions {
  readonly principal: string;
  readonly by?: PrincipalKey;
  readonly json?: boolean;
}

function registerCommand(): Command {
  const command = new Command('register')
    .argument('<username>', 'username of the new user')
    .description('register a user under a principal')
    .requiredOption('--principal <principal>', 'ID or external key of the principal')
    .option('--json', 'print the user as JSON');
  withLookup(withFields(command, userFields), ['id', 'key'], '--principal');
  return withConnection(command)
    .addHelpText(
      'after',
      `${passwordHelp}\nExample:\n  anagrafe user register mario.rossi --principal C-1001 --email mario@example.com`,
    )
    .action(register);
}

async function register(Username: string, options: RegisterOptions): Promise<void> {
  const { anagrafe } = await reach(options);
  const principal = await findPrincipal(anagrafe, options.principal, options.by);
  const fields = fieldsOf(userFields, options, {});
  const user = { ...fields, Username, Password: await readNewPassword() };
  const [registered] = await anagrafe.register(principal.ID, [user]);
  if (options.json) return print(JSON.stringify(registered));
  tell(`User ${registered?.ID} (${Username}) is registered under principal ${principal.ID}.`);
}

async function reset(text: string, options: UserOptions): Promise<void> {
  const { anagrafe } = await reach(options);
  const { ID, IRID, Username } = await findUser(anagrafe, text, options.by);
  const [changed] = await anagrafe.reset(IRID, [{ ID, Password: await readNewPassword() }]);
  if (options.json) return print(JSON.stringify(changed));
  tell(`The password of user ${ID} (${Username}) is changed. Its sessions have ended.`);
}

interface EditOptions extends UserOptions {
  readonly username?: string;
}

function editCommand(): Command {
  const command = userLeaf('edit', 'change fields of a user; omitted fields stay', {
    example: 'mario.rossi --email mario@example.com --phone ""',
    help: '\nAn empty text clears a field.\n',
  }).option('--username <username>', 'new username', readText);
  return withFields(command, userFields).action((text: string, options: EditOptions) =>
    editUser(text, options, (user) => {
      const { username: NewUsername } = options;
      const fields = fieldsOf(userFields, options, user.Attributes ?? {});
      const change = { ...fields, ...(NewUsername !== undefined && { NewUsername }) };
      if (Object.keys(change).length === 0)
        throw new ConfigError(
          `Nothing to change. Options: --username, ${fieldOptions(userFields).join(', ')}.`,
        );
      return change;
    }),
  );
}

function readText(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It cannot be empty.');
}

async function editUser(
  text: string,
  options: UserOptions,
  changeOf: (user: UserOfPrincipal) => Omit<UserEdit, 'ID' | 'Username'>,
): Promise<void> {
  const { anagrafe } = await reach(options);
  const { ID, IRID, ...user } = await findUser(anagrafe, text, options.by);
  await anagrafe.edit(IRID, { Users: [{ ID, ...changeOf({ ID, IRID, ...user }) }] });
  printUser(await findUser(anagrafe, String(ID), 'id'), options);
}

async function remove(text: string, options: UserOptions & { yes?: boolean }): Promise<void> {
  const { anagrafe } = await reach(options);
  const { ID, IRID, Username } = await findUser(anagrafe, text, options.by);
  const question = `Delete user ${ID} (${Username}) of principal ${IRID}? This cannot be undone.`;
  if (!options.yes && !(await confirm(question))) return tell('Nothing was deleted.');
  await anagrafe.remove(IRID, [{ ID }]);
  if (options.json) return print(JSON.stringify({ ID, IRID, Username, deleted: true }));
  tell(`User ${ID} (${Username}) is deleted.`);
}
