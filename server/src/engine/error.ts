/** What a person meets when the embedded PostgreSQL cannot be used: one line, what happened and what to do. */
export class EngineError extends Error {
  override name = 'EngineError';
}

const FULL = new Set(['ENOSPC', 'EDQUOT', '53100']);
const CLOSED = new Set(['EACCES', 'EPERM']);
const NOT_A_FOLDER = new Set(['ENOTDIR', 'EEXIST']);

/** Says in one line what a failed system call on the data folder means. An EngineError passes unchanged. */
export function explain(error: unknown, dataFolder: string): EngineError {
  if (error instanceof EngineError) return error;
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  const place = path ?? dataFolder;
  const options = { cause: error };
  if (FULL.has(code)) return diskFull(dataFolder, options);
  if (CLOSED.has(code)) {
    const who = `the user of this service (uid ${process.getuid?.()})`;
    return new EngineError(
      `${place} is closed to ${who}: give it to that user, or set ANAGRAFE_DATA to another folder.`,
      options,
    );
  }
  if (code === 'EROFS') {
    return new EngineError(
      `${place} is on a read-only disk: set ANAGRAFE_DATA to a folder that can be written.`,
      options,
    );
  }
  if (NOT_A_FOLDER.has(code)) {
    return new EngineError(
      `${place} is not a folder: move that file away, or set ANAGRAFE_DATA to another folder.`,
      options,
    );
  }
  return new EngineError(`The data folder ${dataFolder} cannot be used: ${message}`, options);
}

export function diskFull(dataFolder: string, options?: ErrorOptions): EngineError {
  return new EngineError(
    `The disk that holds ${dataFolder} is full: free some space and start again.`,
    options,
  );
}
