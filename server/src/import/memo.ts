import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import type { Bookmark } from '@anagrafe/client/sheet';
import { ImportError, type ImportTask } from './task.ts';

/** What has been done for good: every row before the bookmark has its outcome, and those that failed are written down. */
export interface Done {
  readonly bookmark: Bookmark | null;
  readonly rows: number;
  readonly failed: number;
  /** How long the files were then; what is behind that was written by someone who was stopped. */
  readonly failedBytes: number;
  readonly passwordsBytes: number;
}

interface Contents {
  readonly run: string;
  /** What the generated passwords come from, so that they are the same when a call is sent again. */
  readonly seed: string;
  readonly fingerprint: string;
  readonly process: number;
  readonly done: Done;
  /** The jobs that were taken by the service and are not done, by the key of their call. */
  readonly jobs: Readonly<Record<string, string>>;
}

const nothing: Done = { bookmark: null, rows: 0, failed: 0, failedBytes: 0, passwordsBytes: 0 };

/** Where an import stands, in a file beside the one that is imported, so that it can be carried on after any end. */
export class Memo {
  readonly #path: string;
  #contents: Contents;

  private constructor(path: string, contents: Contents) {
    this.#path = path;
    this.#contents = contents;
  }

  /** @throws where the file, or what is wanted of it, is another than when the memo was written. */
  static async open(task: ImportTask, { anew }: { anew: boolean }): Promise<Memo> {
    const path = task.progressPath;
    const fingerprint = await fingerprintOf(task);
    const left = anew ? null : await read(path);
    const found = left && isTouched(left) ? left : null;
    if (left && left.process !== process.pid && isAlive(left.process))
      throw new ImportError(`${task.path} is being imported already, by process ${left.process}.`);
    if (found && found.fingerprint !== fingerprint)
      throw new ImportError(
        `${task.path} was imported up to row ${found.done.rows} before, but it or the options have changed since. ` +
          'Give the same again, or begin anew with --restart.',
      );
    const begun = { run: randomUUID(), seed: randomBytes(32).toString('base64'), done: nothing, jobs: {} };
    const memo = new Memo(path, { ...(found ?? begun), fingerprint, process: process.pid });
    await memo.#write();
    return memo;
  }

  get run(): string {
    return this.#contents.run;
  }

  get seed(): Buffer {
    return Buffer.from(this.#contents.seed, 'base64');
  }

  get done(): Done {
    return this.#contents.done;
  }

  jobOf(key: string): string | undefined {
    return this.#contents.jobs[key];
  }

  async keepJob(key: string, id: string): Promise<void> {
    this.#contents = { ...this.#contents, jobs: { ...this.#contents.jobs, [key]: id } };
    await this.#write();
  }

  /** Moves on, and forgets the jobs of which nothing is left to do. */
  async keepDone(done: Done, keys: readonly string[]): Promise<void> {
    const jobs = Object.entries(this.#contents.jobs).filter(([key]) => !keys.includes(key));
    this.#contents = { ...this.#contents, done, jobs: Object.fromEntries(jobs) };
    await this.#write();
  }

  /** Everything is done. */
  async discard(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  /** What has not begun need not be carried on. */
  async discardUntouched(): Promise<void> {
    if (!isTouched(this.#contents)) await this.discard();
  }

  /** In one step, whatever happens to the machine meanwhile. */
  async #write(): Promise<void> {
    const next = `${this.#path}.new`;
    const file = await open(next, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(this.#contents));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, this.#path);
  }
}

function isTouched({ done, jobs }: Contents): boolean {
  return done.rows > 0 || Object.keys(jobs).length > 0;
}

async function read(path: string): Promise<Contents | null> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ImportError(`${path} cannot be read. Begin anew with --restart.`, { cause });
  }
}

const sampleBytes = 1_048_576;

/** Of the beginning and the end of the file, its length, and all that decides what is sent. */
async function fingerprintOf(task: ImportTask): Promise<string> {
  const { purpose, url, columns, encoding, separator, principal, passwordsPath } = task;
  const hash = createHash('sha256');
  hash.update(JSON.stringify([purpose, url, columns, encoding, separator, principal, passwordsPath]));
  const file = await open(task.path, 'r');
  try {
    const { size } = await file.stat();
    hash.update(`${size} `);
    for (const at of [0, Math.max(size - sampleBytes, 0)]) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, sampleBytes)), {
        position: at,
      });
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
