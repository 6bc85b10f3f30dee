import { pipeline } from 'node:stream/promises';
import { AnagrafeError } from '@anagrafe/client';
import { SheetError } from '@anagrafe/client/sheet';
import pg from 'pg';
import { ConfigError } from '../config.ts';
import { ClientError } from '../core/access/clients.ts';
import { Refusal } from '../core/faults.ts';
import { EngineError } from '../engine/engine.ts';
import { ImportError } from '../import/task.ts';
import { NotConnected } from '../storage/failures.ts';
import { StorageError } from '../storage/server.ts';

/** What a script can tell from the end of a command. */
export const exitCodes = {
  done: 0,
  /** Nothing, or not all, could be done; the message says why. */
  trouble: 1,
  /** The command line itself is wrong; nothing was begun. */
  wrongUsage: 2,
  /** Everything was done, but some rows or records were refused. */
  someFailed: 3,
  /** Ended by Ctrl-C. */
  interrupted: 130,
  /** Ended by SIGTERM. */
  terminated: 143,
};

/** For the help and the page of the commands. */
export const exitCodeWords: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'done',
  trouble: 'trouble: nothing, or not all, could be done; the message says why',
  wrongUsage: 'the command line is wrong; nothing was begun',
  someFailed: 'done, but some records failed or were cancelled',
  interrupted: 'ended by Ctrl-C',
  terminated: 'ended by SIGTERM',
};

export function exitCodeText(): string {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  return [
    'Exit codes:',
    ...names.map((name) => `  ${`${exitCodes[name]}`.padEnd(4)} ${exitCodeWords[name]}`),
  ].join('\n');
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Lines without an end to them: they are made as fast as they are read, and no faster. */
export async function printLines(lines: AsyncIterable<string>): Promise<void> {
  await pipeline(ended(lines), process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    // Whoever reads them may have had enough before the end.
    if (error.code !== 'EPIPE') throw error;
  });
}

async function* ended(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** For people; the standard output is left to what programs read. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** One line for what an operator can mend, the whole story for what only we can. Returns the exit code. */
export function explainToOperator(failure: unknown): number {
  const message = knownTrouble(failure);
  tell(`anagrafe: ${message ?? (failure as Error)?.stack ?? failure}`);
  return exitCodes.trouble;
}

/** What an operator can mend, in one line; undefined for what only we can. */
export function knownTrouble(failure: unknown): string | undefined {
  // A database that is away is a refusal to a caller; an operator is told what is behind it.
  const error = failure instanceof Refusal && failure.cause ? failure.cause : failure;
  if (error instanceof NotConnected) return unreachable(error.cause as Error);
  const known = [ImportError, ConfigError, ClientError, EngineError, StorageError].some(
    (kind) => error instanceof kind,
  );
  if (known) return (error as Error).message;
  if (error instanceof SheetError) return fromSheet(error);
  if (error instanceof AnagrafeError) return fromService(error);
  if (error instanceof pg.DatabaseError) {
    const grant =
      error.code === '42501' ? ' Give the role CREATE on its database (GRANT CREATE ON DATABASE).' : '';
    return `the database refused: ${error.message}.${grant}`;
  }
  const { code, address, port, path } = error as {
    code?: string;
    address?: string;
    port?: number;
    path?: string;
  };
  const fileTrouble = path !== undefined && code !== undefined && fileTroubles[code];
  if (fileTrouble) return `${path}: ${fileTrouble}.`;
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${address} is in use: another service runs there. Stop it, or set ANAGRAFE_PORT.`;
  }
  if (code === 'EACCES' && port !== undefined)
    return `port ${port} may not be used by this user. Set ANAGRAFE_PORT.`;
  if (code === 'EADDRNOTAVAIL') return `${address} is not an address of this machine. Set ANAGRAFE_HOST.`;
  return undefined;
}

function fromSheet({ fault }: SheetError): string {
  const { code, message } = fault;
  if (code === 'MISSING_COLUMN') {
    if (fault.figures.needed.includes('Password')) return `${message} (--map, or --generate-passwords)`;
    if (fault.figures.needed.includes('ID')) return `${message} (--map, or --principal, or --external-key)`;
  }
  const mapping = /COLUMN|UNKNOWN_FIELD/.test(code) && ' (--map "column=field"; "column=" leaves it out)';
  const encoding = /ENCODING/.test(code) && ' (--encoding)';
  return message + (mapping || encoding || '');
}

const fileTroubles: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not read or write it',
  EISDIR: 'it is a folder, where a file is needed',
  ENOSPC: 'the disk is full',
  EROFS: 'it cannot be written to',
};

function fromService(error: AnagrafeError): string {
  const hints: Partial<Record<AnagrafeError['code'], string>> = {
    CONNECTION_FAILED: 'Does it run, and is --url or ANAGRAFE_URL its address?',
    TIMED_OUT: 'Is --url or ANAGRAFE_URL its address?',
    UNEXPECTED_ANSWER: 'Is --url or ANAGRAFE_URL its address?',
    UNAUTHENTICATED: 'Give the API client in ANAGRAFE_KEY or in --key-file.',
    FORBIDDEN:
      'The API client of ANAGRAFE_KEY or --key-file lacks a scope; "anagrafe client list" shows them.',
  };
  return [error.message, hints[error.code]].filter(Boolean).join(' ');
}

function unreachable(cause: Error & { code?: string; errors?: Error[] }): string {
  const message = cause.message || cause.errors?.[0]?.message;
  const tls = /SSL|TLS|certificate/i.test(message ?? '');
  return tls
    ? `the database cannot be reached over TLS (${message}). Check its certificate and the sslmode of ANAGRAFE_DATABASE_URL.`
    : `the database cannot be reached (${message}). Check ANAGRAFE_DATABASE_URL.`;
}
