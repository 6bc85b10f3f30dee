import { constants, getPriority, setPriority } from 'node:os';
import { CommanderError } from 'commander';
import { exitCodes, explainToOperator } from './output/output.ts';
import { commandsBelow, program } from './program.ts';

// The reader of a pipe may exit early, such as "head". The rest of the output is discarded.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

for (const command of commandsBelow(program)) command.exitOverride();

/**
 * Lets the service and its database go first, if they run on this machine. A process that is not root cannot raise its
 * priority again, so this is done only here, where the process belongs to the command.
 */
program.hook('preAction', (_, command) => {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  const isImport = command.parent === program && ['import', 'reset'].includes(command.name());
  if (isImport && getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.exitCode = explainToOperator(error);
  // Commander also throws for --help and --version, with exit code 0.
  else process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage;
}
