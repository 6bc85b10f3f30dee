import { Command, CommanderError } from 'commander';
import { auditCommand } from './cli/audit.ts';
import { clientCommand } from './cli/client.ts';
import { configCommand } from './cli/config.ts';
import { importCommand, resetCommand } from './cli/import.ts';
import { migrateCommand } from './cli/migrate.ts';
import { explainToOperator } from './cli/output.ts';
import { serveCommand } from './cli/serve.ts';
import { webhookCommand } from './cli/webhook.ts';
import { version } from './version.ts';

const program = new Command('anagrafe')
  .description('Keeps principal records and the user accounts that belong to them.')
  .version(version)
  .showHelpAfterError('(anagrafe --help shows every command)')
  .addCommand(serveCommand())
  .addCommand(migrateCommand())
  .addCommand(configCommand())
  .addCommand(clientCommand())
  .addCommand(importCommand())
  .addCommand(resetCommand())
  .addCommand(webhookCommand())
  .addCommand(auditCommand());

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) throw error;
  process.exitCode = explainToOperator(error);
}
