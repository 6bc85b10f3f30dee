import type { Place, Value } from './place.ts';
import { placeLines, quoted, valueLines, wayLines } from './posix.ts';

/**
 * The words are taken from the line itself: bash cuts its own at every colon and equals sign. For the same reason what stands
 * before the last colon is cut off the answers.
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
${wayLines(places)}
    esac
    before=$word
  done
  if [[ $current == --*=* ]]; then
    before=\${current%%=*}
    current=\${current#*=}
  fi
  case "$path $before" in
${valueLines(places, answer)}
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
  return answer(commands.length > 0 ? { kind: 'one of', words: commands.map(({ word }) => word) } : argument);
}

function answer(value: Value): string {
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
