import { createHash, type Hash, randomBytes, randomUUID } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Bookmark } from '@anagrafe/client/sheet';
import { ImportError, type ImportTask } from './task.ts';

/** The completed part: every row before the bookmark has an outcome, and the failed ones are in the output file. */
export interface Done {
  /** Null before the first completed batch. */
  readonly bookmark: Bookmark | null;
  readonly rows: number;
  readonly failed: number;
  /** State of the output files at the bookmark. A resumed run discards what an interrupted run wrote after it. */
  readonly failedRows: Written;
  readonly passwords: Written;
}

interface Contents {
  /** UUID of the import, part of its idempotency keys. */
  readonly run: string;
  /** Base64 seed of the generated passwords, so that a batch that is sent again has the same passwords. */
  readonly seed: string;
  /** SHA-256 of the options that determine the requests, apart from the file. */
  readonly wish: string;
  /** Public key of the API client; null if there was no credential. */
  readonly caller: string | null;
  readonly owner: Owner;
  readonly done: Done;
  /** The part of the file that may have been sent and must not change; null before the first batch. */
  readonly sent: { readonly byte: number; readonly digest: string } | null;
  /** IDs of the submitted jobs whose batches are not completed, by job name. */
  readonly jobs: Readonly<Record<string, string>>;
}

const emptyFile: Written = { bytes: 0, digest: '' };
const nothing: Done = { bookmark: null, rows: 0, failed: 0, failedRows: emptyFile, passwords: emptyFile };

/** The saved progress of an import, in a file of its own, so that a later run can resume it after any interruption. */
export class ImportProgress {
  readonly #path: string;
  readonly #prefix: Prefix;
  #contents: Contents;

  private constructor(path: string, prefix: Prefix, contents: Contents) {
    this.#path = path;
    this.#prefix = prefix;
    this.#contents = contents;
  }

  /**
   * Reads the progress of an interrupted run, or creates a new one. Writes nothing yet.
   *
   * @throws {ImportError} if another process runs this import, or if the sent part of the file, the options or the API
   * client have changed.
   */
  static async open(task: ImportTask, { anew }: { anew: boolean }): Promise<ImportProgress> {
    const saved = await read(task.progressPath);
    if (saved && isAtWork(saved.owner))
      throw new ImportError(`${task.path} is being imported already, by process ${saved.owner.process}.`);
    const wish = digestOfOptions(task);
    const prefix = new Prefix(task.path);
    const found = anew || !saved?.sent ? null : saved;
    if (found?.sent && (await prefix.digestTo(found.sent.byte)) !== found.sent.digest)
      throw changed(task, found, 'the file has changed in a part that was sent');
    if (found && found.wish !== wish) throw changed(task, found, 'the options are others now');
    if (found && found.caller !== null && found.caller !== task.caller)
      throw changed(task, found, `by the API client ${found.caller}, which alone sees its jobs`);
    const initial = {
      run: randomUUID(),
      seed: randomBytes(32).toString('base64'),
      wish,
      caller: task.caller,
      done: nothing,
      sent: null,
      jobs: {},
    };
    return new ImportProgress(task.progressPath, new Prefix(task.path), {
      ...(found ?? initial),
      owner: thisProcess(),
    });
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

  get isNew(): boolean {
    return this.#contents.sent === null;
  }

  jobOf(name: string): string | undefined {
    return this.#contents.jobs[name];
  }

  /** Writes the file with this process as its owner. Keeps the file of an import that is not resumed as `.before`. */
  async begin(): Promise<void> {
    if (this.isNew) await rename(this.#path, `${this.#path}.before`).catch(ignoreMissing);
    await this.#write();
  }

  /** Records that the file up to `byte` may have reached the service. Must be called before that part is sent. */
  async keepSending(byte: number): Promise<void> {
    if (byte <= (this.#contents.sent?.byte ?? 0)) return;
    this.#contents = { ...this.#contents, sent: { byte, digest: await this.#prefix.digestTo(byte) } };
    await this.#write();
  }

  async keepJob(name: string, id: string): Promise<void> {
    this.#contents = { ...this.#contents, jobs: { ...this.#contents.jobs, [name]: id } };
    await this.#write();
  }

  /** Records a completed batch and removes its jobs. `names` are the names of these jobs. */
  async keepDone(done: Done, names: readonly string[]): Promise<void> {
    const jobs = Object.entries(this.#contents.jobs).filter(([name]) => !names.includes(name));
    this.#contents = { ...this.#contents, done, jobs: Object.fromEntries(jobs) };
    await this.#write();
  }

  /** Deletes the file after a complete import, or if nothing was sent. */
  async discard(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  /** Replaces the file atomically: a crash leaves either the old or the new content. */
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

function changed(task: ImportTask, { done }: Contents, why: string): ImportError {
  return new ImportError(
    `${task.path} was imported up to row ${done.rows} before, but ${why}. ` +
      'Give the same again to go on, or begin anew with --restart.',
  );
}

async function read(path: string): Promise<Contents | null> {
  const text = await readFile(path, 'utf8').catch(ignoreMissing);
  if (text === undefined) return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ImportError(`${path} cannot be read. Move it away to begin anew.`, { cause });
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function digestOfOptions({
  purpose,
  url,
  columns,
  encoding,
  separator,
  principal,
  passwordsPath,
}: ImportTask): string {
  const options = [purpose, url, columns, encoding, separator, principal, passwordsPath];
  return createHash('sha256').update(JSON.stringify(options)).digest('hex');
}

/** Incremental SHA-256 of the beginning of a file, to detect changes in the part that was already used. */
export class Prefix {
  readonly #path: string;
  readonly #hash: Hash = createHash('sha256');
  #byte = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the digest of the content before `byte`, which must not decrease from call to call. */
  async digestTo(byte: number): Promise<string> {
    if (byte > this.#byte) {
      for await (const chunk of createReadStream(this.#path, { start: this.#byte, end: byte - 1 }))
        this.#hash.update(chunk);
      this.#byte = byte;
    }
    return this.#hash.copy().digest('hex');
  }
}

/** The process that runs an import. */
export interface Owner {
  readonly host: string;
  /** Process ID. */
  readonly process: number;
  /** Start time of the process, in clock ticks since boot; null on systems without `/proc`. */
  readonly since: string | null;
}

export function thisProcess(): Owner {
  return { host: hostname(), process: process.pid, since: startOf(process.pid) };
}

/**
 * Returns true if the owner is another process of this machine that still runs. The start time detects a reused process
 * ID. A process of another machine cannot be checked and counts as ended.
 */
export function isAtWork(owner: Owner): boolean {
  const { host, process: id, since } = owner;
  return host === hostname() && id !== process.pid && isAlive(id) && startOf(id) === since;
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startOf(id: number): string | null {
  try {
    // The program name, in parentheses, may contain any character; the start time is the 20th field after it.
    const fields = readFileSync(`/proc/${id}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    // A zombie process has ended; its parent has not collected the exit status yet.
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/** Length and SHA-256 of a file at one point in time. */
export interface Written {
  readonly bytes: number;
  readonly digest: string;
}
