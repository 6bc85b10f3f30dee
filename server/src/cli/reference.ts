import type { Command, Option } from 'commander';
import { exitCodes, exitCodeWords } from './output/output.ts';
import { commandsBelow, pathOf, program } from './program.ts';

export function commandLinePage(): string {
  const commands = commandsBelow(program).filter((command) => command.commands.length === 0);
  return `${[head(), ...commands.map(section)].join('\n\n')}\n`;
}

function head(): string {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  return [
    '# The command line',
    '',
    'Written from `server/src/cli/` by `npm run generate`. In the folder of the project the command is `npx --no -- anagrafe`;',
    '`npm link --workspace server` makes it `anagrafe` everywhere. `--help` behind any command shows what it takes.',
    '',
    '## Where the service is, and as whom to call',
    '',
    '`list`, `job`, `state`, `import` and `reset` call the service over HTTP, from any machine:',
    '',
    '```sh',
    'export ANAGRAFE_URL=https://anagrafe.example.com',
    'export ANAGRAFE_KEY=<public>.<secret>',
    'anagrafe list --search rossi',
    '```',
    '',
    'Without `ANAGRAFE_URL` or `--url` it is the service on this machine. `--key-file` names a file with the two keys of an API client in',
    'place of `ANAGRAFE_KEY`; none is needed in protected mode. A secret is never an argument, since everyone on a machine can see those.',
    '',
    '`client`, `webhook`, `audit` and `migrate` open the store itself, beside a running service or without one: run them where the service runs,',
    'with its [settings](settings.md). `doctor` does both.',
    '',
    '## What comes out',
    '',
    'What programs read goes to the standard output, what is said to a person to the standard error. With `--json` the standard',
    'output has JSON and nothing else. Colours are for a terminal: there are none in a pipe, with `NO_COLOR` or with `TERM=dumb`.',
    '',
    '| exit code | meaning |',
    '| --- | --- |',
    ...names.map((name) => `| ${exitCodes[name]} | ${exitCodeWords[name]} |`),
    '',
    '## The commands',
  ].join('\n');
}

function section(command: Command): string {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  return [
    `### \`${pathOf(command)}\``,
    '',
    `${capitalised(command.description())}.`,
    '',
    '```',
    `${pathOf(command)} ${command.usage()}`.trimEnd(),
    '```',
    ...table(
      'argument',
      command.registeredArguments
        .filter(({ description }) => description !== '')
        .map((argument) => [argument.name(), help.argumentDescription(argument)]),
    ),
    ...table(
      'option',
      options.map((option) => [option.flags, optionText(option, help.optionDescription(option))]),
    ),
    ...textAfterOptions(command),
  ].join('\n');
}

function table(what: string, rows: readonly (readonly [string, string])[]): string[] {
  if (rows.length === 0) return [];
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
  return [
    '',
    `| ${what} | what it is |`,
    '| --- | --- |',
    ...rows.map(([name, about]) => `| \`${name}\` | ${cell(about)} |`),
  ];
}

function optionText({ mandatory }: Option, about: string): string {
  return mandatory ? `${about}; required` : about;
}

/** Returns the output of `--help`, including the text after the options. */
export function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (piece) => (text += piece) });
  command.outputHelp();
  command.configureOutput({ writeOut: (piece) => process.stdout.write(piece) });
  return text;
}

/** Returns the help text after the options as Markdown lines: the remarks, then the example. */
function textAfterOptions(command: Command): string[] {
  const below = helpOf(command).slice(command.helpInformation().length);
  const [remarks = '', example = ''] = below.split(/Examples?:\n/);
  return [
    ...(remarks.trim() === '' ? [] : ['', remarks.trim().replace(/^ {2}/gm, '- ')]),
    ...(example.trim() === ''
      ? []
      : [
          '',
          'Example:',
          '',
          '```sh',
          ...example
            .trim()
            .split('\n')
            .map((line) => line.trim()),
          '```',
        ]),
  ];
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
