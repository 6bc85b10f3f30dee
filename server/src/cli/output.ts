import pg from 'pg';
import { ConfigError } from '../config.ts';
import { ClientError } from '../core/access/clients.ts';
import { EngineError } from '../engine/engine.ts';
import { NotConnected } from '../storage/failures.ts';
import { StorageError } from '../storage/server.ts';

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** For people; the standard output is left to what programs read. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** One line for what an operator can mend, the whole story for what only we can. Returns the exit code. */
export function explainToOperator(error: unknown): number {
  const message = knownTrouble(error instanceof NotConnected ? error.cause : error);
  tell(message === undefined ? `anagrafe: ${(error as Error)?.stack ?? error}` : `anagrafe: ${message}`);
  return 1;
}

function knownTrouble(error: unknown): string | undefined {
  const known = [ConfigError, ClientError, EngineError, StorageError].some((kind) => error instanceof kind);
  if (known) return (error as Error).message;
  if (error instanceof pg.DatabaseError) return `the database refused: ${error.message}`;
  const { code, message, address, port } = error as {
    code?: string;
    message?: string;
    address?: string;
    port?: number;
  };
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${address} is in use: another service runs there. Stop it, or set ANAGRAFE_PORT.`;
  }
  if (code === 'EACCES' && port !== undefined)
    return `port ${port} may not be used by this user. Set ANAGRAFE_PORT.`;
  if (code === 'EADDRNOTAVAIL') return `${address} is not an address of this machine. Set ANAGRAFE_HOST.`;
  const { syscall, errors } = error as { syscall?: string; errors?: Error[] };
  if (error instanceof AggregateError || syscall === 'connect' || syscall === 'getaddrinfo') {
    return `the database cannot be reached (${message || errors?.[0]?.message}). Check ANAGRAFE_DATABASE_URL.`;
  }
  return undefined;
}
