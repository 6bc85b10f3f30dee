import { pipeline } from 'node:stream/promises';
import { AnagrafeError } from '@anagrafe/client';
import { SheetError } from '@anagrafe/client/sheet';
import pg from 'pg';
import { ClientError } from '../../clients/clients.ts';
import { ConfigError } from '../../config.ts';
import { NotConnected, StorageError } from '../../db/errors.ts';
import { EmbeddedPostgresError } from '../../embedded-postgres/embedded-postgres.ts';
import { ImportError } from '../../import/task.ts';
import { ApiError } from '../../lib/field-errors.ts';

/** Exit codes of all commands. Scripts depend on them. */
export const exitCodes = {
  done: 0,
  /** The command failed completely or in part; stderr has the reason. */
  trouble: 1,
  /** The command line is invalid; nothing was started. */
  wrongUsage: 2,
  /** The command completed, but some rows or records failed. */
  someFailed: 3,
  /** Ctrl-C (SIGINT) ended the command. */
  interrupted: 130,
  /** SIGTERM ended the command. */
  terminated: 143,
};

/** Descriptions of the exit codes, for the help and the reference page. */
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

/** Prints any number of lines with backpressure: `lines` is consumed only as fast as stdout is read. */
export async function printLines(lines: AsyncIterable<string>): Promise<void> {
  await pipeline(addNewlines(lines), process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    // The reader of a pipe may exit before the end.
    if (error.code !== 'EPIPE') throw error;
  });
}

async function* addNewlines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** Prints a message for a person to stderr. Only output for programs goes to stdout. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Prints one line for an error that the operator can fix, the stack trace for any other. Returns the exit code. */
export function explainToOperator(failure: unknown): number {
  const message = operatorMessage(failure);
  tell(`anagrafe: ${message ?? (failure as Error)?.stack ?? failure}`);
  return exitCodes.trouble;
}

/** Returns a one-line message for an error that the operator can fix; undefined for any other. */
export function operatorMessage(failure: unknown): string | undefined {
  // The ApiError of an unreachable database is for API clients; the operator needs its cause.
  const error = failure instanceof ApiError && failure.cause ? failure.cause : failure;
  if (error instanceof NotConnected) return unreachable(error.cause as Error);
  const known = [ImportError, ConfigError, ClientError, EmbeddedPostgresError, StorageError].some(
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
