import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { closestName } from '../lib/did-you-mean.ts';
import { ConfigError, misspeltSetting, prefix, settings } from './config.ts';

/** The settings of the environment and of the settings file. A variable of the environment overrides the file. */
export interface LoadedSettings {
  /** The environment with the settings of the file added. Names that are not settings are left out of the file. */
  readonly environment: NodeJS.ProcessEnv;
  /** The settings file that was read; null if there is none. */
  readonly path: string | null;
  /** The settings whose value is that of the file: their lines, from 1, by their names with prefix. */
  readonly fromFile: ReadonlyMap<string, number>;
  /** Wrong lines and unknown names of the file, in their order. */
  readonly errors: readonly ConfigError[];
  /** The secret settings in the file, if other users of the machine can read or write it. */
  readonly exposed: readonly string[];
}

export const settingsFileName = 'anagrafe.env';
const maxBytes = 65_536;
const otherUsers = 0o006;

/**
 * Reads the settings file: the one of `--config`, else of `ANAGRAFE_CONFIG`, else `anagrafe.env` in the data folder if
 * it exists.
 *
 * @throws {ConfigError} if the file cannot be read. Errors in its lines are returned instead.
 */
export function loadSettings(environment: NodeJS.ProcessEnv, option?: string): LoadedSettings {
  const named = option || environment[`${prefix}CONFIG`];
  const folder = resolve(environment[`${prefix}DATA`] || settings.DATA.fallback);
  const path = named ? resolve(named) : join(folder, settingsFileName);
  const file = readSettingsFile(path, Boolean(named));
  if (!file) return { environment, path: null, fromFile: new Map(), errors: [], exposed: [] };

  const { values, lines, errors } = parseSettings(file.text, path);
  const data = values.get(`${prefix}DATA`);
  if (!named && data !== undefined && resolve(data) !== folder)
    errors.push(
      new ConfigError(`${prefix}DATA in ${path} names another folder than the one that this file is in`, {
        code: 'setting_unknown',
        advice: `remove it from the file, or name the file with --config or ${prefix}CONFIG.`,
      }),
    );
  const merged: NodeJS.ProcessEnv = { ...environment, ...(named && { [`${prefix}CONFIG`]: path }) };
  const fromFile = new Map<string, number>();
  for (const [name, value] of values) {
    // An empty variable counts as not set, as in a compose file.
    if (merged[name] || value === '') continue;
    merged[name] = value;
    fromFile.set(name, lines.get(name) ?? 0);
  }
  const secrets = [...values].filter(([name, value]) => value !== '' && settingOf(name)?.secret);
  const exposed = file.mode & otherUsers ? secrets.map(([name]) => name) : [];
  return { environment: merged, path, fromFile, errors, exposed };
}

/** Returns the warning about a settings file with secrets that other users of the machine can read. */
export function exposureOf({ path, exposed }: LoadedSettings): ConfigError | null {
  if (exposed.length === 0) return null;
  return new ConfigError(
    `Other users of this machine can read or change ${path}, which contains ${exposed.join(', ')}`,
    {
      code: 'settings_file_exposed',
      advice: `run: chmod 600 ${path}`,
    },
  );
}

function settingOf(name: string): { readonly secret?: boolean } | undefined {
  const short = name.slice(prefix.length);
  return name.startsWith(prefix) && Object.hasOwn(settings, short)
    ? settings[short as keyof typeof settings]
    : undefined;
}

/** Returns null if the file does not exist and is not required. */
function readSettingsFile(path: string, required: boolean): { text: string; mode: number } | null {
  let file: number;
  try {
    // The flag keeps the open of a named pipe from waiting for a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!required && (code === 'ENOENT' || code === 'ENOTDIR' || isHidden(path))) return null;
    const reason = code === 'ENOENT' ? 'file not found' : code === 'EACCES' ? 'permission denied' : code;
    throw unreadable(path, `${reason}`);
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw unreadable(path, 'it is not a regular file');
    if (found.size > maxBytes) throw unreadable(path, `it is larger than ${maxBytes} bytes`);
    return { text: readFileSync(file, 'utf8'), mode: found.mode };
  } finally {
    closeSync(file);
  }
}

/** Returns true if this user may not look into the folder, as with the data folder of a service that runs as root. */
function isHidden(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

function unreadable(path: string, reason: string): ConfigError {
  return new ConfigError(`Cannot read the settings file ${path}: ${reason}`, {
    code: 'settings_file_unreadable',
  });
}

/** Returns true if `parseEnv` would truncate a value without quotes at a `#` that is not preceded by a space. */
function hasAmbiguousComment(line: string): boolean {
  const value = line.slice(line.indexOf('=') + 1).trim();
  const at = value.indexOf('#');
  return at > 0 && !/^["'`]/.test(value) && !/\s/.test(value.charAt(at - 1));
}

/** Parses each line on its own: no setting spans several lines, and an error then has a line number. */
function parseSettings(text: string, path: string) {
  const values = new Map<string, string>();
  const lines = new Map<string, number>();
  const errors: ConfigError[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const place = `line ${index + 1} of ${path}`;
    const fail = (problem: string, advice: string) =>
      errors.push(new ConfigError(problem, { code: 'settings_file_invalid', advice }));
    const [entry, ...more] = Object.entries(parseEnv(line));
    const [name = '', value = ''] = entry ?? [];
    if (!/^\w+$/.test(name) || more.length > 0 || /[\r\n]/.test(value))
      fail(`Invalid line: ${place}`, `expected NAME=value, such as ${prefix}PORT=8420.`);
    else if (hasAmbiguousComment(line))
      fail(
        `The value of ${name} contains a # (${place})`,
        'put the value in quotes, or a space before a comment.',
      );
    else if (name === `${prefix}CONFIG`)
      fail(`${name} cannot be set in a settings file (${place})`, 'remove it.');
    else if (settingOf(name) === undefined) errors.push(unknownName(name, place));
    else if (values.has(name)) fail(`${name} is set twice (${place})`, 'remove one of the lines.');
    else {
      values.set(name, value);
      lines.set(name, index + 1);
    }
  }
  return { values, lines, errors };
}

function unknownName(name: string, place: string): ConfigError {
  if (name.startsWith(prefix)) return misspeltSetting(name, place);
  const meant = closestName(name, Object.keys(settings));
  return new ConfigError(`${name} is not a known setting (${place})`, {
    code: 'setting_unknown',
    advice: meant ? `did you mean ${prefix}${meant}?` : `the names of all settings begin with ${prefix}.`,
  });
}
