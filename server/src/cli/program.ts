import { Command, Help } from 'commander';
import { version } from '../lib/package-folder.ts';
import { terminalLines } from '../lib/terminal-text.ts';
import { auditCommand } from './commands/audit.ts';
import { backupCommand } from './commands/backup.ts';
import { clientCommand } from './commands/client.ts';
import { configCommand } from './commands/config.ts';
import { doctorCommand } from './commands/doctor.ts';
import { dumpCommand } from './commands/dump.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand, resetCommand } from './commands/import.ts';
import { inviteCommand } from './commands/invite.ts';
import { jobCommand } from './commands/job.ts';
import { keyCommand } from './commands/key.ts';
import { listCommand } from './commands/list.ts';
import { loadCommand } from './commands/load.ts';
import { mailCommand } from './commands/mail.ts';
import { migrateCommand } from './commands/migrate.ts';
import { operatorCommand } from './commands/operator.ts';
import { principalCommand } from './commands/principal.ts';
import { raiseIdsCommand } from './commands/raise-ids.ts';
import { restoreCommand } from './commands/restore.ts';
import { serveCommand } from './commands/serve.ts';
import { syncCommand } from './commands/sync.ts';
import { undoCommand } from './commands/undo.ts';
import { userCommand } from './commands/user.ts';
import { webhookCommand } from './commands/webhook.ts';
import { exitCodeText } from './output/output.ts';
import { withSettingsFile } from './settings.ts';

/** The root command. `cli/run.ts` runs it; the reference page is generated from it. */
export const program = new Command('anagrafe')
  .description('Service for principals (company and customer records) and their user accounts.')
  .version(version)
  .showHelpAfterError('(run "anagrafe --help" for a list of commands)')
  .addHelpText('after', `\n${exitCodeText()}`)
  .addCommand(serveCommand())
  .addCommand(migrateCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(dumpCommand())
  .addCommand(loadCommand())
  .addCommand(raiseIdsCommand())
  .addCommand(keyCommand())
  .addCommand(configCommand())
  .addCommand(clientCommand())
  .addCommand(operatorCommand())
  .addCommand(importCommand())
  .addCommand(resetCommand())
  .addCommand(inviteCommand())
  .addCommand(mailCommand())
  .addCommand(syncCommand())
  .addCommand(undoCommand())
  .addCommand(exportCommand())
  .addCommand(webhookCommand())
  .addCommand(auditCommand())
  .addCommand(listCommand())
  .addCommand(userCommand())
  .addCommand(principalCommand())
  .addCommand(jobCommand())
  .addCommand(doctorCommand());

for (const command of commandsBelow(program)) {
  if (command.parent) command.showHelpAfterError(`(run "${pathOf(command)} --help" for its usage)`);
  if (command.commands.length > 0) addHelpCommand(command);
  else withSettingsFile(command);
  command
    .configureOutput({
      outputError: (text, write) =>
        write(terminalLines(withCommandPaths(text).replace(/^error: /, 'anagrafe: '))),
    })
    .configureHelp({
      commandUsage(of) {
        const usage = Help.prototype.commandUsage.call(this, of);
        return of.options.length > 0 ? usage : usage.replace(' [options]', '');
      },
      optionDescription(option) {
        const description = Help.prototype.optionDescription.call(this, option);
        return option.mandatory ? `${description}; required` : description;
      },
    });
}

/** Returns a command and all its subcommands except `help`, each parent before its children. */
export function commandsBelow(command: Command): Command[] {
  const others = command.commands.filter((child) => child.name() !== 'help');
  return [command, ...others.flatMap(commandsBelow)];
}

/** Replaces the help command of Commander, which prints the general help for an unknown name. */
function addHelpCommand(command: Command): void {
  const help = new Command('help')
    .argument('[command...]', 'name of the command')
    .description('show the help of a command')
    .action((names: readonly string[]) => showHelp(command, names));
  command.helpCommand(false).addCommand(help);
}

async function showHelp(command: Command, [name, ...below]: readonly string[]): Promise<void> {
  if (name === undefined) command.help();
  const found = command.commands.find((child) => child.name() === name);
  if (found) await showHelp(found, below);
  // Commander reports the unknown command, with a similar name if there is one.
  else await command.parseAsync([name], { from: 'user' });
}

/**
 * Replaces the suggestion for an unknown command by the commands that end with this name, if there are any: for
 * `anagrafe delete` those are `user delete` and others, and not `reset`, which is only spelled similarly.
 */
function withCommandPaths(text: string): string {
  const [, name] = /^error: unknown command '([^']+)'/.exec(text) ?? [];
  const paths = commandsBelow(program)
    .filter((command) => command.parent !== null && command.name() === name)
    .map((command) => pathOf(command).replace('anagrafe ', ''));
  if (paths.length === 0) return text;
  return `${text.split('\n')[0]}\n(Did you mean ${paths.join(', ')}?)\n`;
}

/** Returns the full name of a command, such as `anagrafe client create`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
