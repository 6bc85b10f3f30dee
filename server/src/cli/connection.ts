import { readFileSync } from 'node:fs';
import { Anagrafe } from '@anagrafe/client';
import type { Command } from 'commander';
import { type Config, ConfigError, prefix, readConfig } from '../config.ts';
import { readKeyPair } from '../core/access/keys.ts';

export interface ConnectionOptions {
  readonly url?: string;
  readonly keyFile?: string;
}

/** How a command that calls the service is told where it is, and as whom to call. A secret is no argument: everyone on the machine could see it. */
export function withConnection(command: Command): Command {
  return command
    .option('--url <url>', `where the service is; else ${prefix}URL, else on this machine`)
    .option('--key-file <file>', `a file with <public>.<secret> of an API client; else ${prefix}KEY`);
}

/** The service that the options and the settings name. */
export function connect(options: ConnectionOptions): { anagrafe: Anagrafe; url: string } {
  const config = readConfig(process.env);
  const url = options.url ?? config.URL ?? localUrl(config);
  const key = options.keyFile === undefined ? config.KEY : readKeyFile(options.keyFile);
  const { publicKey, secret: secretKey } = (key && readKeyPair(key)) || {};
  try {
    return { anagrafe: new Anagrafe({ url, publicKey, secretKey }), url };
  } catch (error) {
    throw new ConfigError(`${url}: ${(error as Error).message}`);
  }
}

function localUrl({ HOST, PORT }: Config): string {
  const everywhere = HOST === '0.0.0.0' || HOST === '::';
  const host = everywhere ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST;
  return `http://${host}:${PORT}`;
}

function readKeyFile(path: string): string {
  const text = readFileSync(path, 'utf8').trim();
  if (!readKeyPair(text)) throw new ConfigError(`${path} holds no <public>.<secret>`);
  return text;
}
