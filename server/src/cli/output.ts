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
  /** Everything was done, but some rows or records were refused. */
  someFailed: 3,
  /** Ended by Ctrl-C. */
  interrupted: 130,
};

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** For people; the standard output is left to what programs read. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** One line for what an operator can mend, the whole story for what only we can. Returns the exit code. */
export function explainToOperator(failure: unknown): number {
  // A database that is away is a refusal to a caller; an operator is told what is behind it.
  const error = failure instanceof Refusal && failure.cause ? failure.cause : failure;
  const message = error instanceof NotConnected ? unreachable(error.cause as Error) : knownTrouble(error);
  tell(message === undefined ? `anagrafe: ${(error as Error)?.stack ?? error}` : `anagrafe: ${message}`);
  return exitCodes.trouble;
}

function knownTrouble(error: unknown): string | undefined {
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

function fromSheet({ code, message }: SheetError): string {
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
