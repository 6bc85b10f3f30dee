import { CommanderError } from 'commander';
import { program } from '../cli.ts';
import { exitCodes, explainToOperator } from './output.ts';
import { commandsBelow } from './tree.ts';

// Whoever reads may have had enough, as "head" has: what is written after that goes nowhere.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

for (const command of commandsBelow(program)) command.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) process.exitCode = explainToOperator(error);
  // Help that was asked for ends a command too, and well.
  else process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage;
}
