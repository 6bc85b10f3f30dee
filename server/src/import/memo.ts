import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import type { Bookmark } from '@anagrafe/client/sheet';
import type { Written } from './appended-file.ts';
import { isAtWork, type Owner, thisProcess } from './owner.ts';
import { Prefix } from './prefix.ts';
import { ImportError, type ImportTask } from './task.ts';

/** What has been done for good: every row before the bookmark has its outcome, and those that failed are written down. */
export interface Done {
  readonly bookmark: Bookmark | null;
  readonly rows: number;
  readonly failed: number;
  /** The files as they were then; what is behind that was written by someone who was stopped. */
  readonly failedRows: Written;
  readonly passwords: Written;
}

interface Contents {
  readonly run: string;
  /** What the generated passwords come from, so that they are the same when a call is sent again. */
  readonly seed: string;
  /** Of all that decides what is sent, beside the file. */
  readonly wish: string;
  /** Whose calls these are; null where none was needed. */
  readonly caller: string | null;
  readonly owner: Owner;
  readonly done: Done;
  /** Up to here the file may have been sent: as far as that, it has to stay as it is. Null before anything was. */
  readonly sent: { readonly byte: number; readonly digest: string } | null;
  /** The jobs that were taken by the service and are not done, by the names of their calls. */
  readonly jobs: Readonly<Record<string, string>>;
}

const emptyFile: Written = { bytes: 0, digest: '' };
const nothing: Done = { bookmark: null, rows: 0, failed: 0, failedRows: emptyFile, passwords: emptyFile };

/** Where an import stands, in a file beside the one that is imported, so that it can be carried on after any end. */
export class Memo {
  readonly #path: string;
  readonly #prefix: Prefix;
  #contents: Contents;

  private constructor(path: string, prefix: Prefix, contents: Contents) {
    this.#path = path;
    this.#prefix = prefix;
    this.#contents = contents;
  }

  /**
   * What was left by whoever was stopped, or a new one. Nothing is written yet.
   *
   * @throws where somebody is at it, or the file, as far as it was sent, or what is wanted of it has changed.
   */
  static async open(task: ImportTask, { anew }: { anew: boolean }): Promise<Memo> {
    const left = await read(task.progressPath);
    if (left && isAtWork(left.owner))
      throw new ImportError(`${task.path} is being imported already, by process ${left.owner.process}.`);
    const wish = wishOf(task);
    const prefix = new Prefix(task.path);
    const found = anew || !left?.sent ? null : left;
    if (found?.sent && (await prefix.digestTo(found.sent.byte)) !== found.sent.digest)
      throw changed(task, found, 'the file has changed in a part that was sent');
    if (found && found.wish !== wish) throw changed(task, found, 'the options are others now');
    if (found && found.caller !== null && found.caller !== task.caller)
      throw changed(task, found, `by the API client ${found.caller}, which alone sees its jobs`);
    const begun = {
      run: randomUUID(),
      seed: randomBytes(32).toString('base64'),
      wish,
      caller: task.caller,
      done: nothing,
      sent: null,
      jobs: {},
    };
    return new Memo(task.progressPath, new Prefix(task.path), { ...(found ?? begun), owner: thisProcess() });
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

  /** Takes the work in hand. What an earlier import left, and is not gone on with, is put aside. */
  async begin(): Promise<void> {
    if (this.isNew) await rename(this.#path, `${this.#path}.before`).catch(passOverMissing);
    await this.#write();
  }

  /** To be called before anything of the file up to a byte is sent: from then on the service may have it. */
  async keepSending(byte: number): Promise<void> {
    if (byte <= (this.#contents.sent?.byte ?? 0)) return;
    this.#contents = { ...this.#contents, sent: { byte, digest: await this.#prefix.digestTo(byte) } };
    await this.#write();
  }

  async keepJob(name: string, id: string): Promise<void> {
    this.#contents = { ...this.#contents, jobs: { ...this.#contents.jobs, [name]: id } };
    await this.#write();
  }

  /** Moves on, and forgets the jobs of which nothing is left to do. */
  async keepDone(done: Done, names: readonly string[]): Promise<void> {
    const jobs = Object.entries(this.#contents.jobs).filter(([name]) => !names.includes(name));
    this.#contents = { ...this.#contents, done, jobs: Object.fromEntries(jobs) };
    await this.#write();
  }

  /** Everything is done, or nothing was ever sent. */
  async discard(): Promise<void> {
    await rm(this.#path, { force: true });
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

function changed(task: ImportTask, { done }: Contents, why: string): ImportError {
  return new ImportError(
    `${task.path} was imported up to row ${done.rows} before, but ${why}. ` +
      'Give the same again to go on, or begin anew with --restart.',
  );
}

async function read(path: string): Promise<Contents | null> {
  const text = await readFile(path, 'utf8').catch(passOverMissing);
  if (text === undefined) return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ImportError(`${path} cannot be read. Move it away to begin anew.`, { cause });
  }
}

function passOverMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function wishOf({
  purpose,
  url,
  columns,
  encoding,
  separator,
  principal,
  passwordsPath,
}: ImportTask): string {
  const wish = [purpose, url, columns, encoding, separator, principal, passwordsPath];
  return createHash('sha256').update(JSON.stringify(wish)).digest('hex');
}
