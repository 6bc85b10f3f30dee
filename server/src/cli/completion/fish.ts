import type { Place, Value } from './place.ts';

export function fishScript(places: readonly Place[]): string {
  const known = places.map(({ path }) => quoted(path)).join(' ');
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
  const here = `complete -c anagrafe -n ${quoted(`test (__anagrafe_path) = "${path}"`)}`;
  return [
    ...commands.map(({ word, about }) => `${here} -a ${quoted(word)} -d ${quoted(about)}`),
    ...(argument.kind === 'free' ? [] : [`${here} ${answers(argument)}`]),
    ...options.map(({ flags, about, value }) => {
      const names = flags.map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const taken = value === null ? '' : ` -r ${answers(value)}`;
      return `${here} ${names.join(' ')}${taken} -d ${quoted(about)}`;
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
      return `-f -a ${quoted(value.words.join(' '))}`;
    case 'some of':
      return `-f -a ${quoted(`(__anagrafe_list ${value.words.join(' ')})`)}`;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
