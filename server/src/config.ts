import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { readMasterKey } from './encryption/key-ring.ts';
import { closestName } from './lib/did-you-mean.ts';
import { areTooWide, isNetwork } from './lib/network.ts';
import { OperatorError } from './lib/operator-error.ts';
import { isValidKeyPair, readKeyPair } from './lib/secrets.ts';
import { flag, integer, list, oneOf, type Setting, text } from './settings.ts';

export const prefix = 'ANAGRAFE_';

export const settings = {
  HOST: text({ takes: 'an address to listen on', about: 'the address to listen on', fallback: '127.0.0.1' }),
  PORT: integer(0, 65_535, 8420, 'the port to listen on; 0 takes a free one'),
  DATA: text({
    takes: 'a folder',
    about: 'where the embedded PostgreSQL keeps its data',
    fallback: process.getuid?.() === 0 ? '/var/lib/anagrafe' : './data',
  }),
  DATABASE_URL: text({
    takes: 'a URL such as postgres://user:password@host:5432/database',
    about: 'an outside PostgreSQL, 15 or newer, instead of the embedded one',
    fallback: null,
    accepts: isDatabaseUrl,
    mask: maskUrl,
  }),
  MASTER_KEY: text({
    takes:
      '32 random bytes as 44 characters of base64 or 64 hexadecimal digits, such as "openssl rand -base64 32" gives',
    about:
      'the key of all keys, the same on every node; needed with an outside database, else made once in the data folder',
    fallback: null,
    accepts: (given) => readMasterKey(given) !== null,
    mask: () => '********',
  }),
  DATABASE_CONNECTIONS: integer(2, 200, 10, 'connections to the database'),
  FIRST_CLIENT: text({
    takes:
      '<public>.<secret> out of A-Z a-z 0-9 _ -, the public key with 4 to 64 characters, the secret with 32 or more',
    about: 'the first API client, of scope admin, for an automated deployment',
    fallback: null,
    accepts: isPair,
    mask: maskPair,
  }),
  TRUST_PROXY: list(
    'addresses or networks with commas between, such as 10.0.0.0/8,192.168.1.4, together at most 1/128 of all addresses',
    'the reverse proxies whose X-Forwarded-For is believed',
    isNetwork,
    (networks) => !areTooWide(networks),
  ),
  ALLOWED_HOSTS: list(
    'host names with commas between, such as anagrafe.example.com,anagrafe',
    'the names by which clients known by their address call the service, besides localhost and IP addresses',
    (host) => /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9])?$/i.test(host),
  ),
  LOG_LEVEL: oneOf(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
    'how much is logged',
  ),
  REQUIRE_EMAIL: flag(false, 'whether a registration needs an Email'),
  PASSWORD_MIN: integer(8, 64, 8, 'the least number of characters of a password'),
  MAX_BODY_BYTES: integer(1024, 1_073_741_824, 33_554_432, 'the largest body of a call'),
  MAX_DEPTH: integer(4, 64, 8, 'how deep the JSON of a call may be nested'),
  MAX_RECORDS: integer(1, 100_000, 1000, 'the most records of a call that is answered at once'),
  MAX_USERS: integer(1, 100_000, 1000, 'the most users of a call that is answered at once'),
  MAX_JOB_RECORDS: integer(1, 1_000_000, 100_000, 'the most records of a job or of a dry run'),
  MAX_JOB_USERS: integer(1, 1_000_000, 100_000, 'the most users of a job or of a dry run'),
  JOB_DAYS: integer(1, 3650, 30, 'how many days the outcomes of a call or a job are kept after its end'),
  IDEMPOTENCY_HOURS: integer(1, 8760, 24, 'how many hours an Idempotency-Key is remembered'),
  TOKEN_MINUTES: integer(1, 1440, 15, 'how many minutes an access token lives'),
  SESSION_DAYS: integer(1, 365, 30, 'how many days a refresh token lives'),
  AUDIT_DAYS: integer(0, 36_500, 0, 'how many days the journal is kept; 0 keeps it for good'),
  DELIVERY_DAYS: integer(1, 3650, 30, 'how many days it can be seen what was delivered to a webhook'),
  WEBHOOK_NETWORKS: list(
    'addresses or networks with commas between, such as 10.0.0.0/8,127.0.0.1',
    'internal networks that webhooks may be delivered to, and by plain http',
    isNetwork,
  ),
  WEBHOOK_WAITS: list(
    'whole numbers of seconds with commas between, such as 5,30,120',
    'how long a delivery that failed waits before each next attempt; unless given, from 5 seconds to 20 hours over three days',
    (seconds) => /^\d{1,6}$/.test(seconds),
  ),
  EVENT_DAYS: integer(1, 36_500, 90, 'how many days events can be read'),
  CALLS_PER_MINUTE: integer(1, 1_000_000_000, 60_000, 'the calls that one client may make in a minute'),
  MAX_WAIT_SECONDS: integer(
    1,
    3600,
    20,
    'the longest queue of hashes that a call may find before it is refused',
  ),
  HASH_CONCURRENCY: integer(
    1,
    1024,
    availableParallelism(),
    'hashes in flight; more than there are cores is slower',
  ),
  HASH_MEMORY_KIB: integer(19_456, 4_194_304, 19_456, 'the memory of one argon2id hash'),
  HASH_PASSES: integer(2, 100, 2, 'the passes of one argon2id hash'),
  STOP_SECONDS: integer(1, 3600, 120, 'how long a stop waits for the calls at work'),
  URL: text({
    takes: 'an http or https URL such as https://anagrafe.example.com',
    about: 'where import, reset, list, state and job find the service; unless given, on this machine',
    fallback: null,
    accepts: (given) => URL.canParse(given) && /^https?:$/.test(new URL(given).protocol),
  }),
  KEY: text({
    takes: '<public>.<secret> of an API client',
    about: 'whom import, reset, list, state and job call as; none is needed in protected mode',
    fallback: null,
    accepts: (given) => readKeyPair(given) !== null,
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

export function settingErrors(environment: NodeJS.ProcessEnv): Map<string, ConfigError> {
  const misspelt = misspeltSettings(environment).map((name) => [name, misspeltSetting(name)] as const);
  const wrong = Object.entries(settings).flatMap(([name, setting]) => {
    const read = tryReading(name, setting as Setting<unknown>, environment[prefix + name]);
    return read instanceof ConfigError ? [[prefix + name, read] as const] : [];
  });
  return new Map([...misspelt, ...wrong]);
}

export function readConfig(environment: NodeJS.ProcessEnv): Config {
  refuseMisspelt(misspeltSettings(environment));
  const entries = Object.entries(settings).map(([name, setting]) => {
    const value = tryReading(name, setting as Setting<unknown>, environment[prefix + name]);
    if (value instanceof ConfigError) throw value;
    return [name, value];
  });
  const config = Object.fromEntries(entries) as Config;
  return Object.freeze({ ...config, DATA: resolve(config.DATA) });
}

function tryReading(name: string, setting: Setting<unknown>, given: string | undefined): unknown {
  if (given === undefined || given === '') return setting.fallback;
  const value = setting.read(given);
  if (value !== undefined) return value;
  // The value of a secret setting must not reach a log.
  const shown = setting.secret ? 'not understood' : JSON.stringify(given);
  return new ConfigError(`${prefix}${name} is ${shown}`, {
    code: 'setting_invalid',
    advice: `it takes ${setting.takes}.`,
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

function misspeltSetting(name: string): ConfigError {
  const meant = closestName(name.slice(prefix.length), Object.keys(settings));
  const advice = meant ? `did you mean ${prefix}${meant}?` : '"npx --no -- anagrafe config" lists them all.';
  return new ConfigError(`${name} is not a setting`, { code: 'setting_unknown', advice });
}

function isDatabaseUrl(value: string): boolean {
  return URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol);
}

function maskUrl(value: string): string {
  const url = new URL(value);
  if (url.password !== '') url.password = '********';
  for (const name of url.searchParams.keys()) {
    if (/password/i.test(name)) url.searchParams.set(name, '********');
  }
  return url.toString();
}

function isPair(value: string): boolean {
  const pair = readKeyPair(value);
  return pair !== null && isValidKeyPair(pair);
}

function maskPair(value: string): string {
  return `${readKeyPair(value)?.publicKey}.********`;
}
