import { Command } from 'commander';
import { auditCommand } from './cli/audit.ts';
import { clientCommand } from './cli/client.ts';
import { completionCommand } from './cli/completion.ts';
import { configCommand } from './cli/config.ts';
import { doctorCommand } from './cli/doctor.ts';
import { importCommand, resetCommand } from './cli/import.ts';
import { jobCommand } from './cli/job.ts';
import { listCommand } from './cli/list.ts';
import { migrateCommand } from './cli/migrate.ts';
import { exitCodeText } from './cli/output.ts';
import { serveCommand } from './cli/serve.ts';
import { stateCommand } from './cli/state.ts';
import { webhookCommand } from './cli/webhook.ts';
import { version } from './version.ts';

/** The whole command; `cli/run.ts` runs it, and its page and its completion are written from it. */
export const program = new Command('anagrafe')
  .description('Keeps principal records and the user accounts that belong to them.')
  .version(version)
  .showHelpAfterError('(anagrafe --help shows every command)')
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
  .addCommand(doctorCommand())
  .addCommand(completionCommand());
