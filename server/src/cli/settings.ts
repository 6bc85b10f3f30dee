import type { Command } from 'commander';
import { type Config, prefix, readConfig } from '../settings/config.ts';
import {
  exposureOf,
  type LoadedSettings,
  loadSettings,
  settingsFileName,
} from '../settings/settings-file.ts';
import { tell } from './output/output.ts';

/** The options that every command has. */
export interface SettingsOptions {
  /** The path of the settings file. */
  readonly config?: string;
}

export function withSettingsFile(command: Command): Command {
  return command.option(
    '--config <file>',
    `settings file; default: ${prefix}CONFIG, or ${settingsFileName} in the data folder`,
  );
}

/**
 * Reads the settings of the environment and of the settings file.
 *
 * @throws {ConfigError} for the first wrong line of the file, or the first wrong setting.
 */
export function configFor(options: SettingsOptions): Config {
  const loaded = loadSettings(process.env, options.config);
  warnOfExposure(loaded);
  return configOf(loaded);
}

function configOf(loaded: LoadedSettings): Config {
  const [error] = loaded.errors;
  if (error) throw error;
  return readConfig(loaded.environment, loaded);
}

/** Warns on stderr if other users of the machine can read the secrets in the settings file. */
export function warnOfExposure(loaded: LoadedSettings): void {
  const exposure = exposureOf(loaded);
  if (exposure) tell(`anagrafe: warning: ${exposure.message}`);
}
