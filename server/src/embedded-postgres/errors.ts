import { OperatorError } from '../lib/operator-error.ts';

/** The embedded PostgreSQL cannot be used. */
export class EmbeddedPostgresError extends OperatorError {
  override name = 'EmbeddedPostgresError';
}

const FULL = new Set(['ENOSPC', 'EDQUOT', '53100']);
const CLOSED = new Set(['EACCES', 'EPERM']);
const NOT_A_FOLDER = new Set(['ENOTDIR', 'EEXIST']);

/** Converts the error of a system call on the data folder. Returns an `EmbeddedPostgresError` unchanged. */
export function explain(error: unknown, dataFolder: string): EmbeddedPostgresError {
  if (error instanceof EmbeddedPostgresError) return error;
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  const place = path ?? dataFolder;
  const options = { cause: error };
  if (FULL.has(code)) return diskFull(dataFolder, options);
  if (CLOSED.has(code)) {
    const who = `the user of this service (uid ${process.getuid?.()})`;
    return new EmbeddedPostgresError(`${place} is closed to ${who}`, {
      code: 'data_folder_not_writable',
      advice: 'give it to that user, or set ANAGRAFE_DATA to another folder.',
      ...options,
    });
  }
  if (code === 'EROFS') {
    return new EmbeddedPostgresError(`${place} is on a read-only disk`, {
      code: 'data_folder_read_only',
      advice: 'set ANAGRAFE_DATA to a folder that can be written.',
      ...options,
    });
  }
  if (NOT_A_FOLDER.has(code)) {
    return new EmbeddedPostgresError(`${place} is not a folder`, {
      code: 'data_folder_not_a_folder',
      advice: 'move that file away, or set ANAGRAFE_DATA to another folder.',
      ...options,
    });
  }
  return new EmbeddedPostgresError(`The data folder ${dataFolder} cannot be used: ${message}`, {
    code: 'data_folder_unusable',
    ...options,
  });
}

export function diskFull(dataFolder: string, options?: ErrorOptions): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`The disk that holds ${dataFolder} is full`, {
    code: 'disk_full',
    advice: 'free some space and start again.',
    ...options,
  });
}
