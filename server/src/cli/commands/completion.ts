import { Argument, Command } from 'commander';
import { bashScript, fishScript, placesOf, zshScript } from '../completion/scripts.ts';
import { print } from '../output/output.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
type Shell = keyof typeof scripts;

export function completionCommand(): Command {
  return new Command('completion')
    .description('print a script with which a shell completes this command')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .addHelpText('after', '\nExample:\n  source <(anagrafe completion bash)')
    .action((shell: Shell, _options: unknown, command: Command) => {
      print(scripts[shell](placesOf(rootOf(command))).trimEnd());
    });
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}
