import { readFileSync } from 'node:fs';
import { Anagrafe } from '@anagrafe/client';
import type { Command } from 'commander';
import { type Config, ConfigError, prefix, readConfig } from '../config.ts';
import { readKeyPair } from '../core/access/keys.ts';

export interface ConnectionOptions {
  readonly url?: string;
  readonly keyFile?: string;
}

export interface Connection {
  readonly anagrafe: Anagrafe;
  readonly url: string;
  /** The public key of the API client. */
  readonly caller: string | null;
}

/** How a command that calls the service is told where it is, and as whom to call. A secret is no argument: everyone on the machine could see it. */
export function withConnection(command: Command): Command {
  return command
    .option('--url <url>', `where the service is; else ${prefix}URL, else on this machine`)
    .option('--key-file <file>', `a file with <public>.<secret> of an API client; else ${prefix}KEY`);
}

/** The service that the options and the settings name. */
export function connect(options: ConnectionOptions): Connection {
  const config = readConfig(process.env);
  const url = options.url ?? config.URL ?? localUrl(config);
  const key = options.keyFile === undefined ? config.KEY : readKeyFile(options.keyFile);
  const { publicKey, secret: secretKey } = (key && readKeyPair(key)) || {};
  try {
    return { anagrafe: new Anagrafe({ url, publicKey, secretKey }), url, caller: publicKey ?? null };
  } catch (error) {
    // Not the address itself, which may hold a password.
    throw new ConfigError(`--url or ${prefix}URL: ${(error as Error).message}`);
  }
}

const answerMs = 10_000;

/** The same, once something answers there: a program may be patient, but a person wants to know at once that nothing does. */
export async function reach(options: ConnectionOptions): Promise<Connection> {
  const connection = connect(options);
  const { url } = connection;
  const asking = { redirect: 'manual', signal: AbortSignal.timeout(answerMs) } as const;
  const answer = await fetch(`${url.replace(/\/+$/, '')}/health/live`, asking).catch((error) => {
    const why = error.cause?.code ?? error.cause?.message ?? error.message;
    throw new ConfigError(
      `${url} does not answer (${why}). Does the service run, and is --url or ANAGRAFE_URL its address?`,
    );
  });
  await answer.body?.cancel();
  if (!answer.ok)
    throw new ConfigError(
      `${url} is not the address of an Anagrafe: it answers ${answer.status}. Give it without a path, as http://127.0.0.1:8420.`,
    );
  return connection;
}

/** Where a service with these settings is called from the machine it runs on. */
export function localUrl({ HOST, PORT }: Config): string {
  const everywhere = HOST === '0.0.0.0' || HOST === '::';
  const host = everywhere ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST;
  return `http://${host}:${PORT}`;
}

function readKeyFile(path: string): string {
  const text = textOf(path).trim();
  // As "client create" prints the two.
  const [, publicKey, secret] = /^SyncPublicKey: (\S+)\s+SyncSecretKey: (\S+)$/.exec(text) ?? [];
  const key = publicKey === undefined ? text : `${publicKey}.${secret}`;
  if (!readKeyPair(key))
    throw new ConfigError(`${path} holds no <public>.<secret>: give another with --key-file`);
  return key;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${path} cannot be read (${code}): give another with --key-file`);
  }
}
