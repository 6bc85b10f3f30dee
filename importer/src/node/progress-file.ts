import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import type { ImportRow } from '../file/rows.ts';
import type { ReasonSummary } from '../import/reasons.ts';
import { type ImportTotals, noTotals } from '../import/totals.ts';
import {
  type CompletedRows,
  ImportError,
  type ImportTask,
  ignoreMissing,
  noRows,
  openTaskFile,
  unusedPath,
} from './task.ts';

/** The completed part of an import: each of its rows has a result, and the failed ones are in the output file. */
interface CompletedPart extends CompletedRows {
  /** Lines of skipped rows, at most `samplesMax`. */
  readonly skippedLines: readonly number[];
  readonly totals: ImportTotals;
  readonly reasons: readonly ReasonSummary[];
  /** State of the output files at that row. A resumed run discards what an interrupted run wrote after it. */
  readonly failedRows: FileState;
  readonly passwords: FileState;
  readonly codes: FileState;
}

interface Contents {
  /** UUID of the import: the run of its calls, and a part of their idempotency keys. */
  readonly run: string;
  /** Base64 seed of the generated passwords, so that a batch that is sent again has the same passwords. */
  readonly seed: string;
  /** SHA-256 of the options that determine the requests, apart from the file. */
  readonly options: string;
  /** Public key of the API client; null if there was no credential. */
  readonly caller: string | null;
  /** The file of the failed rows, which may have a number in its name. */
  readonly failedPath: string;
  readonly done: CompletedPart;
  /** The rows that may have been sent and must not change; null before the first batch. */
  readonly sent: { readonly rows: number; readonly digest: string } | null;
  /** IDs of the submitted jobs whose batches are not completed, by job name. */
  readonly jobs: Readonly<Record<string, string>>;
}

const emptyFile: FileState = { bytes: 0, digest: '' };
const nothing: CompletedPart = {
  ...noRows,
  skippedLines: [],
  totals: noTotals,
  reasons: [],
  failedRows: emptyFile,
  passwords: emptyFile,
  codes: emptyFile,
};

/**
 * The saved progress of an import, in a file of its own, so that a later run can resume it after any interruption. Its
 * user holds the lock of the import.
 */
export class ImportProgress {
  readonly #path: string;
  /** The digest of the rows before the next batch. */
  readonly #digest: RowDigest;
  #contents: Contents;
  /** The last write that was started or waits; it never rejects. */
  #lastWrite: Promise<void> = Promise.resolve();

  private constructor(path: string, digest: RowDigest, contents: Contents) {
    this.#path = path;
    this.#digest = digest;
    this.#contents = contents;
  }

  /**
   * Reads the progress of an interrupted run, or creates a new one. Writes nothing yet.
   *
   * @throws {ImportError} If the rows that were sent, the options or the API client have changed.
   */
  static async open(task: ImportTask, { restart }: { restart: boolean }): Promise<ImportProgress> {
    const saved = await read(task.progressPath);
    const options = digestOfOptions(task);
    const resumed = restart || !saved?.sent ? null : saved;
    if (resumed && resumed.options !== options) throw changed(task, resumed, 'its options have changed');
    if (resumed && resumed.caller !== null && resumed.caller !== task.caller)
      throw changed(task, resumed, `only its API client, ${resumed.caller}, can read the results`);
    const digest = await digestOfRows(task, resumed);
    const initial = {
      run: randomUUID(),
      seed: randomBytes(32).toString('base64'),
      options,
      caller: task.caller,
      failedPath: resumed ? resumed.failedPath : await unusedPath(task.failedPath),
      done: nothing,
      sent: null,
      jobs: {},
    };
    return new ImportProgress(task.progressPath, digest, resumed ?? initial);
  }

  get run(): string {
    return this.#contents.run;
  }

  get seed(): Buffer {
    return Buffer.from(this.#contents.seed, 'base64');
  }

  get failedPath(): string {
    return this.#contents.failedPath;
  }

  get done(): CompletedPart {
    return this.#contents.done;
  }

  get isNew(): boolean {
    return this.#contents.sent === null;
  }

  jobOf(name: string): string | undefined {
    return this.#contents.jobs[name];
  }

  /** Writes the file. Keeps the file of an import that is not resumed as `.before`. */
  async begin(): Promise<void> {
    if (this.isNew) await rename(this.#path, `${this.#path}.before`).catch(ignoreMissing);
    await this.#save();
  }

  /** Records that these rows may have reached the service. Must be called with each batch before it is sent. */
  async recordSending(rows: readonly ImportRow[]): Promise<void> {
    for (const row of rows) this.#digest.add(row);
    const last = rows.at(-1)?.number ?? 0;
    if (last <= (this.#contents.sent?.rows ?? 0)) return;
    this.#contents = { ...this.#contents, sent: { rows: last, digest: this.#digest.value } };
    await this.#save();
  }

  async recordJob(name: string, id: string): Promise<void> {
    this.#contents = { ...this.#contents, jobs: { ...this.#contents.jobs, [name]: id } };
    await this.#save();
  }

  /** Records a completed batch and removes its jobs. `names` are the names of these jobs. */
  async recordDone(done: CompletedPart, names: readonly string[]): Promise<void> {
    const jobs = Object.entries(this.#contents.jobs).filter(([name]) => !names.includes(name));
    this.#contents = { ...this.#contents, done, jobs: Object.fromEntries(jobs) };
    await this.#save();
  }

  /** Deletes the file after a complete import, or if nothing was sent. */
  async discard(): Promise<void> {
    await this.#lastWrite;
    await rm(this.#path, { force: true });
  }

  /**
   * Resolves when the contents are on the disk. A batch needs all three writes to be synced, since an import may be resumed days after a power failure:
   *
   * - before it is sent, because a change in its rows could not be detected otherwise;
   * - once it has jobs, because idempotency keys expire before jobs, and the rows would be sent again;
   * - when it is done, because the results of jobs expire too.
   */
  #save(): Promise<void> {
    const written = this.#lastWrite.then(() => this.#write());
    this.#lastWrite = written.catch(() => {});
    return written;
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
    `Cannot resume the import of ${task.path}, which was completed up to row ${done.rows}: ${why}. ` +
      'Undo the change to resume, or start over with --restart.',
  );
}

async function read(path: string): Promise<Contents | null> {
  const text = await readFile(path, 'utf8').catch(ignoreMissing);
  if (text === undefined) return null;
  try {
    const contents: Contents = JSON.parse(text);
    // Earlier versions have fewer fields.
    const totals = { ...noTotals, ...contents.done?.totals };
    return { ...contents, done: { ...nothing, ...contents.done, totals } };
  } catch (cause) {
    throw new ImportError(`${path} is not a progress file. Move it to another folder to start over.`, {
      cause,
    });
  }
}

/** The options that determine the requests. */
const requestOptions = [
  'purpose',
  'url',
  'columns',
  'encoding',
  'separator',
  'principal',
  'passwordsPath',
  'existing',
  'similar',
  'moves',
  'sheet',
  'keepsTotals',
  'withoutKey',
] as const satisfies readonly (keyof ImportTask)[];

function digestOfOptions(task: ImportTask): string {
  const { invite, codesPath } = task;
  const options = [
    ...requestOptions.map((name) => task[name]),
    ...(invite === null ? [] : [invite, codesPath]),
  ];
  return createHash('sha256').update(JSON.stringify(options)).digest('hex');
}

/** Incremental SHA-256 of the header and the rows of a file, to detect changes in the rows that were sent. */
class RowDigest {
  readonly #hash = createHash('sha256');
  /** Text that is not hashed yet, because one call for many rows is faster. */
  #text = '';

  constructor(header: readonly string[]) {
    this.#hash.update(JSON.stringify(header));
  }

  add({ kind, line, source }: ImportRow): void {
    this.#text += JSON.stringify([kind, line, source]);
    if (this.#text.length >= 65_536) this.#flush();
  }

  #flush(): void {
    this.#hash.update(this.#text);
    this.#text = '';
  }

  get value(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }
}

/**
 * Reads the rows that an interrupted run has sent. Returns the digest of the completed ones among them, to continue
 * after these.
 *
 * @throws {ImportError} If the rows have changed.
 */
async function digestOfRows(task: ImportTask, resumed: Contents | null): Promise<RowDigest> {
  const file = await openTaskFile(task);
  const { header } = file.layout;
  const completed = new RowDigest(header);
  const sent = new RowDigest(header);
  for await (const row of file) {
    if (row.number > (resumed?.sent?.rows ?? 0)) break;
    sent.add(row);
    if (row.number <= (resumed?.done.rows ?? 0)) completed.add(row);
  }
  if (resumed?.sent && resumed.sent.digest !== sent.value)
    throw changed(task, resumed, 'rows of the file that were already sent have changed');
  return completed;
}

export interface FileState {
  readonly bytes: number;
  readonly digest: string;
}
