import { OperatorError } from '../lib/operator-error.ts';

export class EmbeddedPostgresError extends OperatorError {
  override name = 'EmbeddedPostgresError';
}

const FULL = new Set(['ENOSPC', 'EDQUOT', '53100']);

/** Problems with a path of the data folder, by the codes of the system calls that report them. */
const PATH_PROBLEMS = [
  {
    errnos: ['EACCES', 'EPERM'],
    code: 'data_folder_not_writable',
    problem: `is not accessible to the current user (uid ${process.getuid?.()})`,
    advice: 'change its owner or permissions, or set ANAGRAFE_DATA to another folder.',
  },
  {
    errnos: ['EROFS'],
    code: 'data_folder_read_only',
    problem: 'is on a read-only file system',
    advice: 'set ANAGRAFE_DATA to a writable folder.',
  },
  {
    errnos: ['ENOENT'],
    code: 'data_folder_not_writable',
    problem: 'cannot be created',
    advice: 'set ANAGRAFE_DATA to another folder.',
  },
  {
    errnos: ['ENOTDIR', 'EEXIST'],
    code: 'data_folder_not_a_folder',
    problem: 'is not a folder',
    advice: 'move the file, or set ANAGRAFE_DATA to another folder.',
  },
];

/** Converts the error of a system call on the data folder. Returns an `EmbeddedPostgresError` unchanged. */
export function explain(error: unknown, dataFolder: string): EmbeddedPostgresError {
  if (error instanceof EmbeddedPostgresError) return error;
  const { code: errno = '', path, message } = error as NodeJS.ErrnoException;
  if (FULL.has(errno)) return diskFull(dataFolder, { cause: error });
  const known = PATH_PROBLEMS.find(({ errnos }) => errnos.includes(errno));
  if (known) {
    const { code, problem, advice } = known;
    return new EmbeddedPostgresError(`${path ?? dataFolder} ${problem}`, { code, advice, cause: error });
  }
  return new EmbeddedPostgresError(`The data folder ${dataFolder} cannot be used: ${message}`, {
    code: 'data_folder_unusable',
    cause: error,
  });
}

export function diskFull(dataFolder: string, options?: ErrorOptions): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`The disk of ${dataFolder} is full`, {
    code: 'disk_full',
    advice: 'free some space, then start again.',
    ...options,
  });
}

/** Returns undefined for a file that does not exist. Rethrows every other error. */
export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
