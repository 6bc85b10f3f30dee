import { pipeline } from 'node:stream/promises';
import { AnagrafeError, RecordError } from '@anagrafe/client';
import { ImportFileError } from '@anagrafe/importer';
import { ImportError } from '@anagrafe/importer/node';
import pg from 'pg';
import { NotConnected } from '../../db/errors.ts';
import { ApiError } from '../../lib/field-errors.ts';
import { commandLine, inOneLine, OperatorError, type OperatorProblem } from '../../lib/operator-error.ts';
import { terminalLines, terminalText } from '../../lib/terminal-text.ts';
import { translate } from '../../lib/translate.ts';

/** Exit codes of all commands. Scripts depend on them. */
export const exitCodes = {
  done: 0,
  trouble: 1,
  wrongUsage: 2,
  someFailed: 3,
  interrupted: 130,
  terminated: 143,
};

/** Descriptions of the exit codes, for the help and the reference page. */
export const exitCodeWords: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'success',
  trouble: 'error: nothing, or only a part, was done; the message gives the reason',
  wrongUsage: 'invalid command line; nothing was done',
  someFailed: 'finished, but some records failed or were cancelled',
  interrupted: 'interrupted with Ctrl-C',
  terminated: 'terminated by SIGTERM',
};

export function exitCodeText(): string {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  return [
    'Exit codes:',
    ...names.map((name) => `  ${`${exitCodes[name]}`.padEnd(4)} ${exitCodeWords[name]}`),
  ].join('\n');
}

/** Prints output for programs, or on a terminal for a person. */
export function print(text: string): void {
  process.stdout.write(`${forStdout(text)}\n`);
}

/** Programs get a text unchanged. On a terminal its control characters are escaped. */
export function forStdout(text: string): string {
  return process.stdout.isTTY ? terminalLines(text) : text;
}

/** Prints any number of lines with backpressure: `lines` is consumed only as fast as stdout is read. */
export async function printLines(lines: AsyncIterable<string>): Promise<void> {
  await pipeline(addNewlines(lines), process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    // The reader of a pipe may exit before the end.
    if (error.code !== 'EPIPE') throw error;
  });
}

async function* addNewlines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${forStdout(line)}\n`;
}

/**
 * Prints lines for a person to stderr. Only output for programs goes to stdout. Control characters are escaped, line
 * ends too: a text may contain names from files of other people.
 */
export function tell(...lines: string[]): void {
  process.stderr.write(lines.map((line) => `${terminalText(line)}\n`).join(''));
}

/** Thrown after SIGINT or SIGTERM. Who throws it has printed what is to be explained. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

/** Prints one line for an error that the operator can fix, the stack trace for any other. Returns the exit code. */
export function explainToOperator(failure: unknown): number {
  if (failure instanceof Interrupted) return failure.exitCode;
  const message = operatorMessage(failure);
  if (message !== undefined) tell(`anagrafe: ${message}`);
  else tell(...`anagrafe: ${(failure as Error)?.stack ?? failure}`.split('\n'));
  return exitCodes.trouble;
}

function operatorMessage(failure: unknown): string | undefined {
  if (failure instanceof ImportError) return failure.message;
  if (failure instanceof ApiError && !failure.cause) return fromApiError(failure);
  if (failure instanceof ImportFileError) return fromImportFile(failure);
  if (failure instanceof RecordError) return fromRecord(failure);
  if (failure instanceof AnagrafeError) return fromService(failure);
  const problem = operatorProblem(failure);
  return problem && inOneLine(problem);
}

/** Returns the problem behind an error of the settings, the database, a file or the port; undefined for any other. */
export function operatorProblem(failure: unknown): OperatorProblem | undefined {
  // The ApiError of an unreachable database is for API clients; the operator needs its cause.
  const error = failure instanceof ApiError && failure.cause ? failure.cause : failure;
  if (error instanceof NotConnected) return unreachable(error.cause as Error);
  if (error instanceof OperatorError) return error;
  if (error instanceof pg.DatabaseError) {
    const grant = 'grant the role CREATE on its database (GRANT CREATE ON DATABASE … TO …).';
    const advice = error.code === insufficientPrivilege ? grant : null;
    return { code: 'database_error', problem: `Database error: ${error.message}`, advice };
  }
  const { code, address, port, path } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const fileError = path !== undefined && code !== undefined && fileErrors[code];
  if (fileError) {
    const [problem, advice] = fileError;
    return { code: 'file_error', problem: `${path}: ${problem}`, advice };
  }
  // The error of a write names no file.
  if (code === 'ENOSPC')
    return {
      code: 'disk_full',
      problem: 'No space is left on the disk',
      advice: 'free some space, then try again.',
    };
  if (code === 'EADDRINUSE') {
    return {
      code: 'port_in_use',
      problem: `Port ${port} on ${address} is already in use`,
      advice: 'stop the other program, or set ANAGRAFE_PORT to another port.',
    };
  }
  if (code === 'EACCES' && port !== undefined) {
    return {
      code: 'port_not_permitted',
      problem: `This user may not listen on port ${port}`,
      advice: 'set ANAGRAFE_PORT to another port, such as 8420.',
    };
  }
  if (code === 'EADDRNOTAVAIL') {
    return {
      code: 'address_not_available',
      problem: `${address} is not an address of this machine`,
      advice: 'set ANAGRAFE_HOST to an address of this machine.',
    };
  }
  return undefined;
}

const insufficientPrivilege = '42501';

/** Describes an `ApiError` as the API does, but names the command instead of the call that helps. */
function fromApiError({ detail }: ApiError): string {
  if (detail.code === 'CLIENT_NOT_FOUND')
    return `No active client has the public key ${detail.figures?.publicKey}. To list the clients, run: ${commandLine('client list')}`;
  return translate(detail, 'en');
}

function fromImportFile({ detail }: ImportFileError): string {
  return `${detail.message}${importFileAdvice(detail)}`;
}

function importFileAdvice(detail: ImportFileError['detail']): string {
  switch (detail.code) {
    case 'MISSING_COLUMN': {
      const [field] = detail.params.needed;
      const others = [
        ...(detail.params.needed.includes('Password')
          ? [', or use --generate-passwords or, for an import, --invite']
          : []),
        ...(detail.params.needed.includes('ID') ? [', or use --principal or --external-key'] : []),
      ];
      return ` To map a column, use --map "column=${field}"${others.join('')}.`;
    }
    case 'EXPORT_FILE':
      return ` Run: ${commandLine('export users.csv --hashes')}`;
    case 'DUPLICATE_COLUMN':
      return ' To ignore a column, use --map "column=".';
    case 'MAPPED_COLUMN_MISSING':
    case 'UNKNOWN_FIELD':
      return ' Correct the option --map.';
    case 'NOT_IN_ENCODING':
    case 'ENCODING_CHANGES':
    case 'NUL_IN_HEADER':
      return ' (option --encoding)';
    default:
      return '';
  }
}

/** Problem and advice by error code. */
export const fileErrors: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ['file not found', 'check the path.'],
  EACCES: ['permission denied', 'check the owner and the permissions, or run as another user.'],
  EISDIR: ['expected a file, found a folder', 'enter the path of a file.'],
  ENOSPC: ['no space left on the disk', 'free some space, then try again.'],
  EROFS: ['the file system is read-only', 'choose another folder.'],
};

function fromService(error: AnagrafeError): string {
  // The message of the service names HTTP headers, which a command does not have.
  if (error.message === credentialMissing)
    return 'The service requires the keys of an API client. Set ANAGRAFE_KEY or --key-file.';
  const hints: Partial<Record<AnagrafeError['code'], string>> = {
    CONNECTION_FAILED: 'Check that it is running and that --url or ANAGRAFE_URL is correct.',
    TIMED_OUT: 'Check that --url or ANAGRAFE_URL is correct.',
    UNEXPECTED_ANSWER: 'Check that --url or ANAGRAFE_URL is correct.',
    UNAUTHENTICATED: 'Set ANAGRAFE_KEY or --key-file to the keys of an API client.',
    FORBIDDEN: `The API client of ANAGRAFE_KEY or --key-file lacks a scope. To list the clients with their scopes, run: ${commandLine('client list')}`,
  };
  return [error.message, hints[error.code]].filter(Boolean).join(' ');
}

/** Returns the field errors of a record of one user or principal, by the names of the fields. */
function fromRecord({ code, message, fieldErrors }: RecordError): string {
  const errors = Object.entries(fieldErrors).flatMap(([path, found]) => {
    const field = path.replace(/^Users\[0\]\.?/, '');
    return found.map((error) => `${field ? `${field}: ` : ''}${error.message} (${error.code})`);
  });
  return errors.length > 0 ? errors.join(' ') : `${message} (${code})`;
}

const credentialMissing = translate({ code: 'UNAUTHENTICATED', variant: 'missing' }, 'en');

function unreachable(cause: Error & { code?: string; errors?: Error[] }): OperatorProblem {
  const message = cause.message || cause.errors?.[0]?.message;
  const tls = /SSL|TLS|certificate/i.test(message ?? '');
  return tls
    ? {
        code: 'database_tls_failed',
        problem: `Cannot connect to the database over TLS (${message})`,
        advice: 'check its certificate and the sslmode in ANAGRAFE_DATABASE_URL.',
      }
    : {
        code: 'database_unreachable',
        problem: `Cannot connect to the database (${message})`,
        advice: 'check that it is running and that ANAGRAFE_DATABASE_URL is correct.',
      };
}
