import type { Command } from 'commander';

/** Returns a command and all its subcommands, each parent before its children. */
export function commandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsBelow)];
}

/** Returns the full name of a command, such as `anagrafe client create`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
