import { CommanderError } from 'commander';
import { exitCodes, explainToOperator } from './output/output.ts';
import { commandsBelow, program } from './program.ts';

// The reader of a pipe may exit early, such as "head". The rest of the output is discarded.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

for (const command of commandsBelow(program)) command.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.exitCode = explainToOperator(error);
  // Commander also throws for --help and --version, with exit code 0.
  else process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage;
}
