import type { Argument, Command, Option } from 'commander';
import { commandsBelow, pathOf } from '../tree.ts';

/** What may be typed in a place: a file, one of some words, a list of them with commas between, or what only a person knows. */
export type Value =
  | { readonly kind: 'file' | 'free' }
  | { readonly kind: 'one of' | 'some of'; readonly words: readonly string[] };

export interface Word {
  readonly word: string;
  readonly about: string;
}

export interface OptionPlace {
  /** `--key-file`, and `-h` where there is a short one. */
  readonly flags: readonly string[];
  readonly about: string;
  /** Null where nothing follows. */
  readonly value: Value | null;
}

/** What can follow a command. */
export interface Place {
  /** `anagrafe client create`. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly OptionPlace[];
  readonly argument: Value;
}

/** Every place of a command line, taken from the commands themselves. */
export function placesOf(program: Command): Place[] {
  return commandsBelow(program).map((command) => {
    const help = command.createHelp();
    return {
      path: pathOf(command),
      commands: command.commands.map((one) => ({ word: one.name(), about: one.description() })),
      options: help.visibleOptions(command).map(optionPlace),
      // No command of ours takes a file and something else.
      argument: takenBy(command.registeredArguments.find(isTelling)),
    };
  });
}

function optionPlace(option: Option): OptionPlace {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  return {
    flags,
    about: option.description,
    value: option.required || option.optional ? takenBy(option) : null,
  };
}

function isTelling(argument: Argument): boolean {
  return takenBy(argument).kind !== 'free';
}

/** What is called a file in the help is one, and what is named in the plural is a list. */
function takenBy(place: Argument | Option | undefined): Value {
  if (place?.argChoices) {
    const list = 'flags' in place && /<\w+s>/.test(place.flags);
    return { kind: list ? 'some of' : 'one of', words: place.argChoices };
  }
  const name = place && ('flags' in place ? place.flags : `<${place.name()}>`);
  return { kind: name && /<(file|folder)s?(\.\.\.)?>/.test(name) ? 'file' : 'free' };
}
