// The reference page of the command line, generated from the built server.
import { exitCodes, exitCodeWords } from '../server/dist/cli/output/output.js';
import { commandsBelow, pathOf, program } from '../server/dist/cli/program.js';

export function commandLinePage() {
  const commands = commandsBelow(program).filter((command) => command.commands.length === 0);
  return `${[head(), ...commands.map(section)].join('\n\n')}\n`;
}

function head() {
  const names = Object.keys(exitCodes);
  return [
    '# Command line',
    '',
    'Generated from `server/src/cli/` by `npm run generate`. In the folder of the project, run `npx --no -- anagrafe`. To install the',
    'command as `anagrafe` on the machine, run `npm link --workspace server`. Every command has `--help`.',
    '',
    '## Connection',
    '',
    '| commands | how they connect | where to run them |',
    '| --- | --- | --- |',
    '| `list`, `user`, `principal`, `sync`, `import`, `reset`, `export`, `job`, `config --running` | call the service over HTTP | any machine |',
    '| `serve`, `config` | start the service, print its settings | where the service runs, with its [settings](settings.md) |',
    '| `client`, `webhook`, `audit`, `migrate` | open the database, with or without a running service | where the service runs, with its [settings](settings.md) |',
    '| `doctor` | both | where the service runs |',
    '',
    'Commands that use HTTP read the URL of the service and the keys of an API client from the environment or from the',
    '[settings file](settings.md#settings-file):',
    '',
    '```text',
    'export ANAGRAFE_URL=https://anagrafe.example.com',
    'export ANAGRAFE_KEY=<public>.<secret>',
    'anagrafe list --search rossi',
    '```',
    '',
    '- Without `ANAGRAFE_URL` or `--url`, they call the service on this machine.',
    '- `--key-file` reads the keys from a file instead of `ANAGRAFE_KEY`. In [protected mode](security.md#protected-mode) no keys are needed.',
    '- No command takes a secret as an argument, because other users of the machine can see arguments.',
    '',
    '## Output',
    '',
    'Results go to standard output, messages to standard error. With `--json`, standard output contains only JSON. Colours are',
    'used in a terminal, and not in a pipe, with `NO_COLOR` or with `TERM=dumb`.',
    '',
    '| exit code | meaning |',
    '| --- | --- |',
    ...names.map((name) => `| ${exitCodes[name]} | ${exitCodeWords[name]} |`),
    '',
    '## Commands',
  ].join('\n');
}

function section(command) {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  return [
    `### \`${pathOf(command)}\``,
    '',
    `${capitalised(command.description())}.`,
    '',
    '```',
    help.commandUsage(command),
    '```',
    ...table(
      'argument',
      command.registeredArguments
        .filter(({ description }) => description !== '')
        .map((argument) => [argument.name(), help.argumentDescription(argument)]),
    ),
    ...table(
      'option',
      options.map((option) => [option.flags, help.optionDescription(option)]),
    ),
    ...textAfterOptions(command),
  ].join('\n');
}

function table(what, rows) {
  if (rows.length === 0) return [];
  const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
  return [
    '',
    `| ${what} | description |`,
    '| --- | --- |',
    ...rows.map(([name, about]) => `| \`${name}\` | ${cell(about)} |`),
  ];
}

/** Returns the output of `--help`, including the text after the options. */
function helpOf(command) {
  let text = '';
  command.configureOutput({ writeOut: (piece) => (text += piece) });
  command.outputHelp();
  command.configureOutput({ writeOut: (piece) => process.stdout.write(piece) });
  return text;
}

/** Returns the help text after the options as Markdown lines: the remarks, then the example. */
function textAfterOptions(command) {
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
          '```text',
          ...example
            .trim()
            .split('\n')
            .map((line) => line.trim()),
          '```',
        ]),
  ];
}

function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
