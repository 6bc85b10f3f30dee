import type { Argument, Command, Option } from 'commander';
import { commandsBelow, pathOf } from '../command-tree.ts';

/** The type of an argument: a file, one of some words, a comma-separated list of such words, or free text. */
export type Value =
  | { readonly kind: 'file' | 'free' }
  | { readonly kind: 'one of' | 'some of'; readonly words: readonly string[] };

export interface Word {
  readonly word: string;
  readonly about: string;
}

export interface OptionPlace {
  /** The short form, such as `-h`, if there is one, and the long form, such as `--key-file`. */
  readonly flags: readonly string[];
  readonly about: string;
  /** Null if the option takes no value. */
  readonly value: Value | null;
}

/** The completions after one command. */
export interface Place {
  /** Full name of the command, such as `anagrafe client create`. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly OptionPlace[];
  readonly argument: Value;
}

/** Returns the completions of every command, derived from the Commander definitions. */
export function placesOf(program: Command): Place[] {
  return commandsBelow(program).map((command) => {
    const help = command.createHelp();
    return {
      path: pathOf(command),
      commands: command.commands.map((one) => ({ word: one.name(), about: one.description() })),
      options: help.visibleOptions(command).map(optionPlace),
      // At most one argument of a command can be completed.
      argument: completionOf(command.registeredArguments.find(isCompletable)),
    };
  });
}

function optionPlace(option: Option): OptionPlace {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  return {
    flags,
    about: option.description,
    value: option.required || option.optional ? completionOf(option) : null,
  };
}

function isCompletable(argument: Argument): boolean {
  return completionOf(argument).kind !== 'free';
}

/** Derives the type from the name in the help: `<file>` and `<folder>` are paths, a plural with choices is a list. */
function completionOf(parameter: Argument | Option | undefined): Value {
  if (parameter?.argChoices) {
    const list = 'flags' in parameter && /<\w+s>/.test(parameter.flags);
    return { kind: list ? 'some of' : 'one of', words: parameter.argChoices };
  }
  const name = parameter && ('flags' in parameter ? parameter.flags : `<${parameter.name()}>`);
  return { kind: name && /<(file|folder)s?(\.\.\.)?>/.test(name) ? 'file' : 'free' };
}

/** Quotes a text for bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the branches of `case "$path $word"`, which go from a command to its subcommand. */
export function subcommandBranches(places: readonly Place[]): string {
  return places
    .map(({ path }) => {
      const words = path.split(' ');
      const before = `${words.slice(0, -1).join(' ')} ${words.at(-1)}`;
      return `      ${quoted(before)}) path=${quoted(path)} ;;`;
    })
    .join('\n');
}

/** Returns the branches of `case "$path $before"`, which complete the value of the option `$before`. */
export function valueLines(places: readonly Place[], answer: (value: Value) => string): string {
  return places
    .flatMap(({ path, options }) =>
      options.flatMap(({ flags, value }) => {
        const pattern = flags.map((flag) => quoted(`${path} ${flag}`)).join('|');
        return value === null ? [] : [`    ${pattern}) ${answer(value)} ;;`];
      }),
    )
    .join('\n');
}

/** Returns the branches of `case "$path"`, one for each command. */
export function placeLines(places: readonly Place[], answer: (place: Place) => string): string {
  return places.map((place) => `    ${quoted(place.path)}) ${answer(place)} ;;`).join('\n');
}

/**
 * Generates the completion script for bash. It splits the line itself, because bash also splits words at colons and
 * equals signs. For the same reason it removes the text up to the last colon from the replies.
 */
export function bashScript(places: readonly Place[]): string {
  return `# Completion of anagrafe for bash; "anagrafe completion bash" prints it.
_anagrafe() {
  local line=\${COMP_LINE:0:COMP_POINT} path='' kind='' choices='' current='' before='' word
  local -a words
  COMPREPLY=()
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=\${words[\${#words[@]}-1]}
  unset "words[\${#words[@]}-1]"
  words[0]=anagrafe
  for word in "\${words[@]}"; do
    case "$path $word" in
${subcommandBranches(places)}
    esac
    before=$word
  done
  if [[ $current == --*=* ]]; then
    before=\${current%%=*}
    current=\${current#*=}
  fi
  case "$path $before" in
${valueLines(places, answerInBash)}
  esac
  if [[ -z $kind && $current == -* ]]; then
    kind=words
    case "$path" in
${placeLines(places, ({ options }) => `choices=${quoted(options.flatMap(({ flags }) => flags).join(' '))}`)}
    esac
  elif [[ -z $kind ]]; then
    case "$path" in
${placeLines(places, argumentAnswer)}
    esac
  fi
  case "$kind" in
    words) COMPREPLY=($(compgen -W "$choices" -- "$current")) ;;
    list)
      local given=''
      [[ $current == *,* ]] && given=\${current%,*},
      COMPREPLY=($(compgen -P "$given" -W "$choices" -- "\${current##*,}"))
      compopt -o nospace 2> /dev/null ;;
    file)
      local IFS=$'\\n'
      COMPREPLY=($(compgen -f -- "$current"))
      compopt -o filenames 2> /dev/null ;;
  esac
  if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local cut=\${current%"\${current##*:}"}
    COMPREPLY=("\${COMPREPLY[@]#"$cut"}")
  fi
}
complete -F _anagrafe anagrafe
`;
}

function argumentAnswer({ commands, argument }: Place): string {
  return answerInBash(
    commands.length > 0 ? { kind: 'one of', words: commands.map(({ word }) => word) } : argument,
  );
}

function answerInBash(value: Value): string {
  switch (value.kind) {
    case 'free':
      return 'kind=free';
    case 'file':
      return 'kind=file';
    case 'one of':
      return `kind=words choices=${quoted(value.words.join(' '))}`;
    case 'some of':
      return `kind=list choices=${quoted(value.words.join(' '))}`;
  }
}

export function zshScript(places: readonly Place[]): string {
  return `#compdef anagrafe
# Completion of anagrafe for zsh; "anagrafe completion zsh" prints it.
_anagrafe() {
  # "path" is a name that zsh keeps for itself unless it is told otherwise.
  local -h path=''
  local before=\${words[CURRENT-1]} word
  local -a found
  for word in anagrafe "\${(@)words[2,CURRENT-1]}"; do
    case "$path $word" in
${subcommandBranches(places)}
    esac
  done
  if [[ $PREFIX == --*=* ]]; then
    before=\${PREFIX%%=*}
    compset -P 1 '*='
  fi
  case "$path $before" in
${valueLines(places, (value) => `${answerInZsh(value)}; return`)}
  esac
  if [[ $PREFIX == -* ]]; then
    case "$path" in
${placeLines(places, ({ options }) => described('option', options.flatMap(wordsOf)))}
    esac
    return
  fi
  case "$path" in
${placeLines(places, ({ commands, argument }) => (commands.length > 0 ? described('command', commands) : answerInZsh(argument)))}
  esac
}
# Read by a start file, or found in a folder of $fpath.
if [[ $funcstack[1] == _anagrafe ]]; then _anagrafe "$@"; else compdef _anagrafe anagrafe; fi
`;
}

function wordsOf({ flags, about }: Place['options'][number]): Word[] {
  return flags.map((word) => ({ word, about }));
}

function described(what: string, words: readonly Word[]): string {
  const items = words.map(({ word, about }) => quoted(`${word.replaceAll(':', '\\:')}:${about}`));
  return `found=(${items.join(' ')}); _describe -V ${what} found`;
}

function answerInZsh(value: Value): string {
  switch (value.kind) {
    case 'free':
      return ':';
    case 'file':
      return '_files';
    case 'one of':
      return `compadd -- ${value.words.map(quoted).join(' ')}`;
    case 'some of':
      return `compset -P '*,'; compadd -S '' -- ${value.words.map(quoted).join(' ')}`;
  }
}

export function fishScript(places: readonly Place[]): string {
  const known = places.map(({ path }) => quotedForFish(path)).join(' ');
  return `# Completion of anagrafe for fish; "anagrafe completion fish" prints it.
function __anagrafe_path
    set -l path anagrafe
    for word in (commandline -opc)[2..]
        contains -- "$path $word" ${known}; and set path "$path $word"
    end
    echo $path
end

function __anagrafe_list
    set -l given (string match -r '^.*,' -- (commandline -ct))
    printf "$given%s\\n" $argv
end

complete -c anagrafe -f
${places.flatMap(lines).join('\n')}
`;
}

function lines({ path, commands, options, argument }: Place): string[] {
  const here = `complete -c anagrafe -n ${quotedForFish(`test (__anagrafe_path) = "${path}"`)}`;
  return [
    ...commands.map(({ word, about }) => `${here} -a ${quotedForFish(word)} -d ${quotedForFish(about)}`),
    ...(argument.kind === 'free' ? [] : [`${here} ${answers(argument)}`]),
    ...options.map(({ flags, about, value }) => {
      const names = flags.map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const taken = value === null ? '' : ` -r ${answers(value)}`;
      return `${here} ${names.join(' ')}${taken} -d ${quotedForFish(about)}`;
    }),
  ];
}

function answers(value: Value): string {
  switch (value.kind) {
    case 'free':
      return '-f';
    case 'file':
      return '-F';
    case 'one of':
      return `-f -a ${quotedForFish(value.words.join(' '))}`;
    case 'some of':
      return `-f -a ${quotedForFish(`(__anagrafe_list ${value.words.join(' ')})`)}`;
  }
}

function quotedForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
