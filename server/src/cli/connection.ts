import { readFileSync } from 'node:fs';
import { Anagrafe } from '@anagrafe/client';
import type { Command } from 'commander';
import { isKeyPair, readKeyPair } from '../lib/secrets.ts';
import { isServiceUrl } from '../settings/accepted-values.ts';
import { type Config, ConfigError, prefix, settings } from '../settings/config.ts';
import { fetchInTime } from './fetch-in-time.ts';
import { quotedIfNeeded } from './output/format.ts';
import { fileErrors } from './output/output.ts';
import { configFor, type SettingsOptions } from './settings.ts';

export interface ConnectionOptions extends SettingsOptions {
  readonly url?: string;
  readonly keyFile?: string;
  /** The language of the service's messages. Default: English. */
  readonly language?: 'en' | 'it';
}

export interface Connection {
  readonly anagrafe: Anagrafe;
  readonly url: string;
  /** Public key of the API client; null if there is no credential. */
  readonly caller: string | null;
  readonly config: Config;
}

/**
 * Adds the options for the URL of the service and the credential. The credential comes from a file, because every user
 * of the machine can read the arguments of a process.
 */
export function withConnection(command: Command): Command {
  return command
    .option(
      '--url <url>',
      `URL of the service; default: ${prefix}URL, or the service on this machine`,
      (given: string) => readUrl(given, command),
    )
    .option(
      '--key-file <file>',
      `file with the keys of an API client, <public>.<secret>; default: ${prefix}KEY`,
    );
}

/** Returns the connection options of this command, for a command that is printed. */
export function connectionArguments({ url, keyFile, config }: ConnectionOptions): string[] {
  return [
    ...(url === undefined ? [] : [`--url ${quotedIfNeeded(url)}`]),
    ...(keyFile === undefined ? [] : [`--key-file ${quotedIfNeeded(keyFile)}`]),
    ...(config === undefined ? [] : [`--config ${quotedIfNeeded(config)}`]),
  ];
}

/** Rejects the option as wrong usage. The message hides a user and password in the URL. */
function readUrl(given: string, command: Command): string {
  if (isServiceUrl(given)) return given;
  const shown = given.replace(/\/\/[^/]*@/, '//********@');
  return command.error(`error: --url is invalid: ${JSON.stringify(shown)}. Expected ${settings.URL.takes}.`);
}

/** Creates a client for the service that the options name, else the settings. Sends no request. */
function connect(options: ConnectionOptions): Connection {
  const config = configFor(options);
  const url = options.url ?? config.URL ?? localUrl(config);
  const key = options.keyFile === undefined ? config.KEY : readKeyFile(options.keyFile);
  const { publicKey, secret: secretKey } = (key && readKeyPair(key)) || {};
  const { language } = options;
  const anagrafe = new Anagrafe({ url, publicKey, secretKey, language });
  return { anagrafe, url, caller: publicKey ?? null, config };
}

const answerMs = 10_000;

/** Connects and checks that the service responds, so that a wrong URL fails at once instead of after all retries. */
export async function reach(options: ConnectionOptions): Promise<Connection> {
  const connection = connect(options);
  const { url } = connection;
  const healthUrl = `${url.replace(/\/+$/, '')}/health/live`;
  const answer = await fetchInTime(healthUrl, { limitMs: answerMs, redirect: 'manual' }, async (head) => {
    await head.body?.cancel();
    return head;
  }).catch((error) => {
    const why = error.cause?.code ?? error.cause?.message ?? error.message;
    throw new ConfigError(
      `Cannot reach the service at ${url} (${why}). ${urlAdvice(options, connection.config)}`,
    );
  });
  if (!answer.ok)
    throw new ConfigError(
      `${url} is not an Anagrafe service: GET /health/live returned ${answer.status}. Enter the URL without a path, such as http://127.0.0.1:8420.`,
    );
  return connection;
}

function urlAdvice({ url }: ConnectionOptions, { URL }: Config): string {
  return url === undefined && URL === null
    ? `Check that it is running on this machine with the same ${prefix}PORT, or set --url or ${prefix}URL.`
    : `Check that it is running and that --url or ${prefix}URL is correct.`;
}

/** Returns the URL of a service with these settings, as seen from its own machine. */
export function localUrl({ HOST, PORT }: Config): string {
  const isWildcard = HOST === '0.0.0.0' || HOST === '::';
  const host = isWildcard ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST;
  return `http://${host}:${PORT}`;
}

function readKeyFile(path: string): string {
  const text = textOf(path).trim();
  // The file may also contain the two lines that "client create" prints.
  const [, publicKey, secret] = /^Public key: (\S+)\s+Secret key: (\S+)$/.exec(text) ?? [];
  const key = publicKey === undefined ? text : `${publicKey}.${secret}`;
  if (!isKeyPair(key))
    throw new ConfigError(
      `${path} does not contain the keys of an API client. Expected <public>.<secret>, or the output of "anagrafe client create".`,
    );
  return key;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const [reason] = fileErrors[code] ?? [code];
    throw new ConfigError(`Cannot read the key file ${path}: ${reason}. Check the path in --key-file.`);
  }
}
