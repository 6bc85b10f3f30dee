import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { OperatorError } from '../lib/operator-error.ts';

// The erasure log lists what was deleted, by ID, in a file beside the backups. A backup contains what was deleted after it;
// with the log, these deletions are repeated when it is restored.

/** The deletions of one row of the audit log: a line of the file. */
export interface Erasure {
  readonly at: string;
  /** See `readDatabaseId`. Absent in a line of an older version. */
  readonly database?: string;
  /** The timeline of the database, which a restore begins: see `currentTimeline`. */
  readonly timeline: string;
  /** The position of the row in the hash chain, and its hash in hexadecimal. */
  readonly position: number;
  readonly hash: string;
  /** The call that deleted them. */
  readonly call: string | null;
  readonly principal: number | null;
  readonly users: readonly number[];
}

/** The end of a line of the file. */
export interface Place {
  readonly bytes: number;
  readonly lines: number;
}

export const beginning: Place = { bytes: 0, lines: 0 };

/** Returns true if the deletions are those of the database with this ID, or of a line that names none. */
export function isOf(database: string | null, erasure: Erasure): boolean {
  return erasure.database === undefined || erasure.database === database;
}

export function erasureLogIn(backupFolder: string): string {
  return join(backupFolder, 'erasures.ndjson');
}

/** Yields the lines after a place; none if there is no file. The last line is incomplete if the service was killed. */
export async function* readErasures(path: string, { bytes, lines } = beginning): AsyncGenerator<Erasure> {
  let number = lines;
  let broken: number | null = null;
  try {
    for await (const line of createInterface({
      input: createReadStream(path, { start: bytes }),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      number++;
      if (broken !== null) throw damaged(path, broken);
      const erasure = parse(line);
      if (erasure) yield erasure;
      else if (line !== '') broken = number;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Appends lines, and returns the size of the file once they are on the disk. No other node may append meanwhile. */
export async function appendErasures(path: string, erasures: readonly Erasure[]): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'a+', 0o600);
  try {
    await file.truncate(await endOfLines(file));
    await file.appendFile(erasures.map((erasure) => `${JSON.stringify(erasure)}\n`).join(''));
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** Returns the number of bytes up to the end of the last complete line; 0 if there is no file. */
export async function endOfLog(path: string): Promise<number> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!file) return 0;
  return endOfLines(file).finally(() => file.close());
}

/** A line has at most as many IDs as a row of the audit log, which is far less. */
const lineBytesMax = 1_000_000;

async function endOfLines(file: Awaited<ReturnType<typeof open>>): Promise<number> {
  const { size } = await file.stat();
  const start = Math.max(size - lineBytesMax, 0);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
  return start + buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
}

function parse(line: string): Erasure | null {
  try {
    const erasure = JSON.parse(line) as Erasure;
    const { position, hash, timeline, users, principal, database } = erasure;
    const ids = [position, ...users, ...(principal === null ? [] : [principal])];
    const isValid =
      ids.every(Number.isSafeInteger) &&
      typeof timeline === 'string' &&
      /^[0-9a-f]{64}$/.test(hash) &&
      (database === undefined || /^[0-9a-f]{64}$/.test(database));
    return isValid ? erasure : null;
  } catch {
    return null;
  }
}

function damaged(path: string, line: number): OperatorError {
  return new OperatorError(`Line ${line} of ${path} cannot be read`, {
    code: 'erasure_log_damaged',
    advice: 'correct or remove the line; without it, what it lists is not deleted again.',
  });
}
