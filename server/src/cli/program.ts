import { Command } from 'commander';
import { version } from '../lib/package-folder.ts';
import { auditCommand } from './commands/audit.ts';
import { clientCommand } from './commands/client.ts';
import { configCommand } from './commands/config.ts';
import { doctorCommand } from './commands/doctor.ts';
import { importCommand, resetCommand } from './commands/import.ts';
import { jobCommand } from './commands/job.ts';
import { listCommand } from './commands/list.ts';
import { migrateCommand } from './commands/migrate.ts';
import { serveCommand } from './commands/serve.ts';
import { stateCommand } from './commands/state.ts';
import { webhookCommand } from './commands/webhook.ts';
import { exitCodeText } from './output/output.ts';

/** The root command. `cli/run.ts` runs it; the reference page is generated from it. */
export const program = new Command('anagrafe')
  .description('Service for principals (company and customer records) and their user accounts.')
  .version(version)
  .showHelpAfterError('(run "anagrafe --help" for a list of commands)')
  .addHelpText('after', `\n${exitCodeText()}`)
  .addCommand(serveCommand())
  .addCommand(migrateCommand())
  .addCommand(configCommand())
  .addCommand(clientCommand())
  .addCommand(importCommand())
  .addCommand(resetCommand())
  .addCommand(webhookCommand())
  .addCommand(auditCommand())
  .addCommand(listCommand())
  .addCommand(jobCommand())
  .addCommand(stateCommand())
  .addCommand(doctorCommand());

/** Returns a command and all its subcommands, each parent before its children. */
export function commandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsBelow)];
}

/** Returns the full name of a command, such as `anagrafe client create`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
