import type { Place, Value, Word } from './place.ts';
import { placeLines, quoted, valueLines, wayLines } from './posix.ts';

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
${wayLines(places)}
    esac
  done
  if [[ $PREFIX == --*=* ]]; then
    before=\${PREFIX%%=*}
    compset -P 1 '*='
  fi
  case "$path $before" in
${valueLines(places, (value) => `${answer(value)}; return`)}
  esac
  if [[ $PREFIX == -* ]]; then
    case "$path" in
${placeLines(places, ({ options }) => described('option', options.flatMap(wordsOf)))}
    esac
    return
  fi
  case "$path" in
${placeLines(places, ({ commands, argument }) => (commands.length > 0 ? described('command', commands) : answer(argument)))}
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

function answer(value: Value): string {
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
