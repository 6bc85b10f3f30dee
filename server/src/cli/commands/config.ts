import { Command } from 'commander';
import {
  type Config,
  type ConfigError,
  misspeltSettings,
  prefix,
  readConfig,
  refuseMisspelt,
  settings,
} from '../../settings/config.ts';
import type { Setting } from '../../settings/setting.ts';
import { serviceSettings } from '../../settings/settings.routes.ts';
import { type LoadedSettings, loadSettings } from '../../settings/settings-file.ts';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import { paint } from '../output/format.ts';
import { print, tell } from '../output/output.ts';
import { warnOfExposure } from '../settings.ts';

interface ConfigOptions extends ConnectionOptions {
  readonly running?: boolean;
  readonly json?: boolean;
}

export function configCommand(): Command {
  const command = new Command('config')
    .description('show all settings, their values and where these come from; secrets are masked')
    .option('--running', 'show the settings of the running service, and those that differ here')
    .option('--json', 'print the settings as JSON');
  return withConnection(command)
    .addHelpText(
      'after',
      '\nA value comes from the environment, else from the settings file, else it is the default. With --running, the API' +
        '\nclient needs the scope admin.' +
        '\n\nExamples:\n  anagrafe config | grep HASH\n  anagrafe config --running',
    )
    .action((options: ConfigOptions) => (options.running ? showRunning(options) : showLocal(options)));
}

function showLocal({ config: file, json }: ConfigOptions): void {
  const loaded = loadSettings(process.env, file);
  const misspelt = misspeltSettings(loaded.environment);
  const rest = Object.entries(loaded.environment).filter(([name]) => !misspelt.includes(name));
  const config = readConfig(Object.fromEntries(rest), loaded);
  const rows = Object.entries(settings).map(([name, some]) => {
    const setting = some as Setting<unknown>;
    const value = setting.show(config[name as keyof Config]);
    const source = sourceOf(prefix + name, loaded);
    return { name: prefix + name, value, source, about: setting.about, takes: setting.takes };
  });
  if (json) print(JSON.stringify(rows, null, 2));
  else {
    for (const line of columns(rows, ({ source, about }) => `# ${source.padEnd(11)}  ${about}`)) print(line);
    if (loaded.path !== null) tell(`Settings file: ${loaded.path}`);
  }
  warnOfExposure(loaded);
  const [error] = loaded.errors as readonly (ConfigError | undefined)[];
  if (error) throw error;
  refuseMisspelt(misspelt);
}

function sourceOf(
  name: string,
  { environment, fromFile }: LoadedSettings,
): 'environment' | 'file' | 'default' {
  if (fromFile.has(name)) return 'file';
  return environment[name] ? 'environment' : 'default';
}

/** Prints the settings of the service, and beside each that differs the value that this terminal would use. */
async function showRunning(options: ConfigOptions): Promise<void> {
  const { anagrafe, url, config } = await reach(options);
  const local = new Map(serviceSettings(config).map(({ name, value }) => [name, value]));
  const rows = (await anagrafe.admin.settings()).map(({ Name: name, Value: value }) => {
    const here = local.get(name) ?? null;
    return { name, value, here, differs: here !== value };
  });
  if (options.json) return print(JSON.stringify(rows, null, 2));
  const difference = ({ here, differs }: (typeof rows)[number]) =>
    differs ? paint(process.stdout, 'yellow', `# differs; here: ${here ?? '(unknown)'}`) : '';
  for (const line of columns(rows, difference)) print(line.trimEnd());
  const count = rows.filter(({ differs }) => differs).length;
  const equal = 'They are equal to the settings here.';
  tell(`Settings of ${url}. ${count === 0 ? equal : `${count} differ from the settings here.`}`);
}

/** Returns `NAME=value` with a comment, aligned. */
function columns<Row extends { name: string; value: string }>(
  rows: readonly Row[],
  comment: (row: Row) => string,
): string[] {
  const width = Math.max(...rows.map((row) => row.name.length + row.value.length)) + 1;
  return rows.map((row) => `${`${row.name}=${row.value}`.padEnd(width)}  ${comment(row)}`);
}
