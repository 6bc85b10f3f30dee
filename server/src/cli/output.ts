import pg from 'pg';
import { ConfigError } from '../config.ts';
import { ClientError } from '../core/access/clients.ts';
import { Refusal } from '../core/faults.ts';
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
export function explainToOperator(failure: unknown): number {
  // A database that is away is a refusal to a caller; an operator is told what is behind it.
  const error = failure instanceof Refusal && failure.cause ? failure.cause : failure;
  const message = error instanceof NotConnected ? unreachable(error.cause as Error) : knownTrouble(error);
  tell(message === undefined ? `anagrafe: ${(error as Error)?.stack ?? error}` : `anagrafe: ${message}`);
  return 1;
}

function knownTrouble(error: unknown): string | undefined {
  const known = [ConfigError, ClientError, EngineError, StorageError].some((kind) => error instanceof kind);
  if (known) return (error as Error).message;
  if (error instanceof pg.DatabaseError) {
    const grant =
      error.code === '42501' ? ' Give the role CREATE on its database (GRANT CREATE ON DATABASE).' : '';
    return `the database refused: ${error.message}.${grant}`;
  }
  const { code, address, port } = error as {
    code?: string;
    address?: string;
    port?: number;
  };
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${address} is in use: another service runs there. Stop it, or set ANAGRAFE_PORT.`;
  }
  if (code === 'EACCES' && port !== undefined)
    return `port ${port} may not be used by this user. Set ANAGRAFE_PORT.`;
  if (code === 'EADDRNOTAVAIL') return `${address} is not an address of this machine. Set ANAGRAFE_HOST.`;
  return undefined;
}

function unreachable(cause: Error & { code?: string; errors?: Error[] }): string {
  const message = cause.message || cause.errors?.[0]?.message;
  const tls = /SSL|TLS|certificate/i.test(message ?? '');
  return tls
    ? `the database cannot be reached over TLS (${message}). Check its certificate and the sslmode of ANAGRAFE_DATABASE_URL.`
    : `the database cannot be reached (${message}). Check ANAGRAFE_DATABASE_URL.`;
}
