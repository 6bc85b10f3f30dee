import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { readMasterKeys } from '../encryption/key-ring.ts';
import { recordUsersMax } from '../json/record-list.ts';
import { closestName } from '../lib/did-you-mean.ts';
import { areTooWide, isNetwork } from '../lib/network.ts';
import { commandLine, OperatorError } from '../lib/operator-error.ts';
import { isKeyPair } from '../lib/secrets.ts';
import { isDatabaseUrl, isOrigin, isPair, isServiceUrl, maskPair, maskUrl } from './accepted-values.ts';
import { backupSettings } from './backup-settings.ts';
import { mailSettings } from './mail-settings.ts';
import { flag, integer, list, oneOf, type Setting, text } from './setting.ts';

export const prefix = 'ANAGRAFE_';

export const settings = {
  CONFIG: text({
    takes: 'a path',
    about:
      'settings file with lines NAME=value, read by the service and by every command; default: anagrafe.env in the data folder, if it exists',
    fallback: null,
  }),
  HOST: text({
    takes: 'an IP address or a host name',
    about: 'address to listen on; 0.0.0.0 listens on all addresses',
    fallback: '127.0.0.1',
  }),
  PORT: integer(0, 65_535, 8420, 'port to listen on; 0 chooses a free port'),
  DATA: text({
    takes: 'a path',
    about: 'data folder, for the embedded PostgreSQL and the generated master key',
    fallback: process.getuid?.() === 0 ? '/var/lib/anagrafe' : './data',
  }),
  DATABASE_URL: text({
    takes: 'a URL such as postgres://user:password@host:5432/database',
    about: 'PostgreSQL server (15 or newer) to use instead of the embedded one',
    fallback: null,
    accepts: isDatabaseUrl,
    mask: maskUrl,
  }),
  POSTGRES_BIN: text({
    takes: 'a path such as /usr/lib/postgresql/18/bin',
    about:
      'folder with initdb and postgres (15 or newer) for the embedded PostgreSQL, instead of those of the npm package',
    fallback: null,
  }),
  MASTER_KEY: text({
    takes:
      '32 random bytes in base64 (44 characters) or hexadecimal (64 digits), such as the output of "openssl rand -base64 32"; to replace a key, the new and the present one, separated by a comma',
    about:
      'key that encrypts stored secrets and protects the audit log, the same on every node; required with ANAGRAFE_DATABASE_URL, otherwise generated in the data folder',
    fallback: null,
    accepts: (given) => readMasterKeys(given) !== null,
    mask: () => '********',
  }),
  DATABASE_CONNECTIONS: integer(2, 200, 10, 'maximum number of connections of the main database pool'),
  FIRST_CLIENT: text({
    takes:
      '<public>.<secret> with the characters A-Z a-z 0-9 _ -; the public key has 4 to 64 characters, the secret key at least 32',
    about:
      'first API client, with the scope admin, created at the start if there is none; for automated deployments',
    fallback: null,
    accepts: isPair,
    mask: maskPair,
  }),
  TRUST_PROXY: list(
    'IP addresses or networks, separated by commas, such as 10.0.0.0/8,192.168.1.4; in total at most 1/128 of all addresses',
    'reverse proxies whose X-Forwarded-For header is trusted',
    isNetwork,
    { acceptsAll: (networks) => !areTooWide(networks) },
  ),
  ALLOWED_HOSTS: list(
    'host names, separated by commas, such as anagrafe.example.com,anagrafe',
    'host names of the service that clients that are identified by their IP address may use, in addition to localhost and IP addresses',
    (host) => /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9])?$/i.test(host),
  ),
  ALLOWED_ORIGINS: list(
    'origins without a path and without a slash at the end, separated by commas, such as https://portal.example.com,http://localhost:3000',
    'web pages on other origins that may sign users in and call for a signed-in user (CORS)',
    isOrigin,
  ),
  LOG_LEVEL: oneOf(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
    'lowest level of log messages that are written',
  ),
  REQUIRE_EMAIL: flag(false, 'require an Email to register a user'),
  PASSWORD_MIN: integer(8, 64, 8, 'minimum length of a password, in characters'),
  PASSWORD_BLOCKLIST: text({
    takes: 'a path',
    about:
      'file of forbidden passwords: one word per line, or the published file of leaked passwords (SHA-1, ordered by hash), which is searched on disk',
    fallback: null,
  }),
  PASSWORD_HISTORY: integer(
    0,
    24,
    0,
    'number of last passwords, including the present one, that a user who changes its password may not choose again; 0 for none',
  ),
  INVITATION_DAYS: integer(1, 365, 7, 'days for which the code of an invitation is valid'),
  PUBLIC_URL: text({
    takes: 'an http or https URL without user, query and fragment, such as https://anagrafe.example.com',
    about:
      'URL at which users reach the service, for the links in invitations; without it they have a code only',
    fallback: null,
    accepts: isServiceUrl,
  }),
  ...mailSettings,
  MAX_BODY_BYTES: integer(1024, 1_073_741_824, 33_554_432, 'maximum size of a request body, in bytes'),
  MAX_DEPTH: integer(4, 64, 8, 'maximum nesting depth of the JSON in a request body'),
  MAX_RECORDS: integer(1, 100_000, 1000, 'maximum number of records in a synchronous call'),
  MAX_USERS: integer(1, 100_000, 1000, 'maximum number of users in a synchronous call'),
  MAX_RECORD_USERS: integer(1, recordUsersMax, recordUsersMax, 'maximum number of users in a record'),
  MAX_JOB_RECORDS: integer(1, 1_000_000, 100_000, 'maximum number of records in a job or a dry run'),
  MAX_JOB_USERS: integer(1, 1_000_000, 100_000, 'maximum number of users in a job or a dry run'),
  MAX_OPEN_JOBS: integer(1, 100_000, 200, 'maximum number of open jobs of a client'),
  MAX_OPEN_JOB_BYTES: integer(
    1024,
    1_099_511_627_776,
    268_435_456,
    'maximum size of the open jobs of a client together, in bytes; one job is always accepted',
  ),
  MAX_REMOVALS: integer(
    0,
    100,
    10,
    'share of the users of each sent principal, and of all of them together, in percent, that irs/upsert may disable or delete without a plan; 20 users are always allowed',
  ),
  JOB_DAYS: integer(1, 3650, 30, 'days to keep the results of a call or a job after it ends'),
  IDEMPOTENCY_HOURS: integer(1, 8760, 24, 'hours to keep the answer stored for an Idempotency-Key'),
  CONSOLE_IDLE_MINUTES: integer(
    1,
    720,
    30,
    'minutes without a request after which the console session of an operator ends',
  ),
  CONSOLE_KEYS: flag(true, 'let API clients with the scope admin sign in to the console, beside operators'),
  REQUIRE_SECOND_FACTOR: flag(true, 'require a second factor of operators with the role admin'),
  TOKEN_MINUTES: integer(1, 1440, 15, 'lifetime of an access token, in minutes'),
  SESSION_DAYS: integer(1, 365, 30, 'lifetime of a refresh token, in days'),
  ...backupSettings,
  AUDIT_DAYS: integer(0, 36_500, 0, 'days to keep the audit log; 0 keeps it forever'),
  HISTORY_DAYS: integer(
    1,
    36_500,
    90,
    'days to keep the old and new values of changed fields for the history; the audit log itself is not affected',
  ),
  UNDO_DAYS: integer(
    1,
    3650,
    30,
    'days in which an import or another run can be undone; at most ANAGRAFE_JOB_DAYS, ANAGRAFE_HISTORY_DAYS and, unless it is 0, ANAGRAFE_AUDIT_DAYS',
  ),
  DELIVERY_DAYS: integer(1, 3650, 30, 'days to keep webhook deliveries'),
  WEBHOOK_NETWORKS: list(
    'IP addresses or networks, separated by commas, such as 10.0.0.0/8,127.0.0.1',
    'internal networks that webhooks may send to, also over plain http',
    isNetwork,
  ),
  WEBHOOK_WAITS: list(
    'whole numbers of seconds, separated by commas, such as 5,30,120',
    'waits before each retry of a failed delivery; the default retries for three days',
    (seconds) => /^\d{1,6}$/.test(seconds),
    { fallback: '5,30,120,600,1800,3600,7200,14400,28800,43200,43200,43200,72600'.split(',') },
  ),
  EVENT_DAYS: integer(1, 36_500, 90, 'days for which events can be read'),
  CALLS_PER_MINUTE: integer(1, 1_000_000_000, 60_000, 'rate limit: calls per minute for each client'),
  MAX_WAIT_SECONDS: integer(
    1,
    3600,
    5,
    'time in seconds within which a call with one password must be able to end: the service estimates it from the passwords that wait to be hashed, and refuses the call otherwise; a call with several passwords may wait four times as long',
  ),
  HASH_CONCURRENCY: integer(
    1,
    1024,
    availableParallelism(),
    'passwords hashed at the same time; more than the number of cores is slower',
  ),
  HASH_MEMORY_KIB: integer(19_456, 4_194_304, 19_456, 'memory of one argon2id hash, in KiB'),
  HASH_PASSES: integer(2, 100, 2, 'passes of one argon2id hash'),
  STOP_SECONDS: integer(1, 3600, 120, 'seconds that a shutdown waits for running requests'),
  URL: text({
    takes: 'an http or https URL without user, query and fragment, such as https://anagrafe.example.com',
    about: 'URL of the service, for commands that call it; default: the service on this machine',
    fallback: null,
    accepts: isServiceUrl,
  }),
  KEY: text({
    takes: '<public>.<secret> of an API client',
    about: 'keys of an API client, for commands that call the service; not needed in protected mode',
    fallback: null,
    accepts: isKeyPair,
    mask: maskPair,
  }),
};

type Settings = typeof settings;
type ValueOf<Given> = Given extends Setting<infer Value> ? Value : never;
export type Config = { readonly [Name in keyof Settings]: ValueOf<Settings[Name]> };

/** A wrong setting or argument. The problem names it and its value; the advice is what it accepts. */
export class ConfigError extends OperatorError {
  override name = 'ConfigError';

  constructor(problem: string, options: { code?: string; advice?: string } = {}) {
    super(problem, { code: 'invalid_argument', ...options });
  }
}

/** The settings file, for the messages about its values: its path and the lines of the settings whose value it has. */
export interface FileOfSettings {
  readonly path: string | null;
  /** Line numbers, from 1, by the names of the settings with prefix. */
  readonly fromFile: ReadonlyMap<string, number>;
}

const noFile: FileOfSettings = { path: null, fromFile: new Map() };

export function settingErrors(
  environment: NodeJS.ProcessEnv,
  file: FileOfSettings = noFile,
): Map<string, ConfigError> {
  const misspelt = misspeltSettings(environment).map((name) => [name, misspeltSetting(name)] as const);
  const wrong = Object.entries(settings).flatMap(([name, setting]) => {
    const read = tryReading(name, setting as Setting<unknown>, environment[prefix + name], file);
    return read instanceof ConfigError ? [[prefix + name, read] as const] : [];
  });
  return new Map([...misspelt, ...wrong]);
}

export function readConfig(environment: NodeJS.ProcessEnv, file: FileOfSettings = noFile): Config {
  refuseMisspelt(misspeltSettings(environment));
  const entries = Object.entries(settings).map(([name, setting]) => {
    const value = tryReading(name, setting as Setting<unknown>, environment[prefix + name], file);
    if (value instanceof ConfigError) throw value;
    return [name, value];
  });
  const values = Object.fromEntries(entries) as Config;
  const config = Object.freeze({ ...values, DATA: resolve(values.DATA) });
  const given = Object.keys(settings).filter((name) => environment[prefix + name]);
  const sources = given.map(
    (name) => [name, file.fromFile.has(prefix + name) ? 'file' : 'environment'] as const,
  );
  sourcesOf.set(config, new Map(sources));
  return config;
}

export const settingSources = ['default', 'environment', 'file'] as const;
export type SettingSource = (typeof settingSources)[number];

const sourcesOf = new WeakMap<Config, ReadonlyMap<string, SettingSource>>();

/** Returns where the value of a setting comes from. `name` is without the prefix. */
export function settingSource(config: Config, name: string): SettingSource {
  return sourcesOf.get(config)?.get(name) ?? 'default';
}

function tryReading(
  name: string,
  setting: Setting<unknown>,
  given: string | undefined,
  file: FileOfSettings,
): unknown {
  if (given === undefined || given === '') return setting.fallback;
  const value = setting.read(given);
  if (value !== undefined) return value;
  // The value of a secret setting must not reach a log.
  const shown = setting.secret ? '' : `: ${JSON.stringify(given)}`;
  const line = file.fromFile.get(prefix + name);
  const place = line === undefined ? '' : ` (line ${line} of ${file.path})`;
  return new ConfigError(`${prefix}${name} is invalid${shown}${place}`, {
    code: 'setting_invalid',
    advice: `expected ${setting.takes}.`,
  });
}

export function misspeltSettings(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment).filter(
    (name) => name.startsWith(prefix) && !Object.hasOwn(settings, name.slice(prefix.length)),
  );
}

/** Throws for the first misspelt name: if it were ignored, the service would silently run with a default instead. */
export function refuseMisspelt([name]: readonly string[]): void {
  if (name !== undefined) throw misspeltSetting(name);
}

/** `place` is the line of a settings file; undefined for the environment. */
export function misspeltSetting(name: string, place?: string): ConfigError {
  const meant = closestName(name.slice(prefix.length), Object.keys(settings));
  const advice = meant
    ? `did you mean ${prefix}${meant}?`
    : `to list all settings, run: ${commandLine('config')}`;
  const where = place === undefined ? '' : ` (${place})`;
  return new ConfigError(`${name} is not a known setting${where}`, { code: 'setting_unknown', advice });
}
