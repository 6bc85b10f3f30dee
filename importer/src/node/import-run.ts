import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { ApiError, type Job, type JobInvitation } from '@anagrafe/client';
import { ImportFileError } from '../file/errors.ts';
import type { ImportFile } from '../file/open.ts';
import type { ImportRow } from '../file/rows.ts';
import { type Batch, estimateRows, inBatches, type RowTotal } from '../import/batches.ts';
import { type ImportConnection, type SubmitJob, submitWithKey } from '../import/calls.ts';
import type { ComparedRows, FileComparer } from '../import/file-comparer.ts';
import { invitesUsers } from '../import/invitations.ts';
import { JobSender, type SubmittedJob } from '../import/job-sender.ts';
import { CountedPrincipals } from '../import/principal-aliases.ts';
import { namedKeyOf, usersOf } from '../import/records.ts';
import { countTaken, type RowErrors } from '../import/row-errors.ts';
import { sendRows } from '../import/send.ts';
import type { StoredRows } from '../import/stored-rows.ts';
import { addTotals, type ImportTotals } from '../import/totals.ts';
import type { WarningLog } from '../import/warnings.ts';
import { countCancelledRows, JobCancelledError, waitForJob } from './job-wait.ts';
import { comparerOf, ownPasswordsNotUsed, prepareRows, removeStored, totalsOfStored } from './prepare.ts';
import type { ImportProgress } from './progress-file.ts';
import type { ResultFiles } from './result-files.ts';
import { changedPrincipals, mustWait, type SentBatch } from './sent-batch.ts';
import { type ImportContext, type ImportTask, samplesMax } from './task.ts';

/**
 * Maximum number of batches in flight: the next ones are read and sent while the service works on the oldest one. This
 * bounds the memory, and the number of jobs that go on after an interruption.
 */
const batchesAtOnce = 3;
/** Time for the answers to requests that are running when the import is interrupted. */
const answerMs = 3000;

/** Reads the rows of a file, sends them in batches and writes the results, all at the same time. */
export class ImportRun {
  readonly #task: ImportTask;
  readonly #context: ImportContext;
  readonly #progress: ImportProgress;
  readonly #results: ResultFiles;
  readonly #file: ImportFile;
  readonly #comparer: FileComparer;
  /** The principals of completed batches. */
  readonly #principals = new CountedPrincipals();
  readonly #inFlight: SentBatch[] = [];
  /**
   * Aborts submissions some seconds after an interruption: until then their answers still arrive, and the IDs of their
   * jobs, which the service runs in any case, can be printed.
   */
  readonly #submitSignal: AbortSignal;
  /** Stops the batches in flight after an error. */
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  /** IDs of the jobs that an earlier run has submitted. */
  readonly #earlierJobs = new Set<string>();
  /** True if a batch in flight could not be submitted. */
  #hasFailed = false;
  /** The number of rows of the file, for the progress. */
  #total: RowTotal | null = null;
  /** The number of rows that was reported last. */
  #rowsDone = 0;
  /** The number of records that a job in flight has done. */
  readonly #recordsDone = new Map<string, number>();
  readonly unparsedLines: number[] = [];
  usernamesTaken = 0;

  constructor(
    task: ImportTask,
    context: ImportContext,
    progress: ImportProgress,
    results: ResultFiles,
    file: ImportFile,
  ) {
    this.#task = task;
    this.#context = context;
    this.#progress = progress;
    this.#results = results;
    this.#file = file;
    this.#comparer = comparerOf(task, file);
    const { signal } = context;
    this.#signal = AbortSignal.any([this.#stop.signal, ...(signal ? [signal] : [])]);
    const submitting = new AbortController();
    this.#submitSignal = submitting.signal;
    signal?.addEventListener('abort', () => {
      setTimeout(() => submitting.abort(signal.reason), answerMs).unref();
    });
  }

  get warnings(): WarningLog {
    return this.#comparer.warnings;
  }

  async importRows(): Promise<void> {
    const { size } = await stat(this.#task.path);
    const { done } = this.#progress;
    let last = done.rows;
    try {
      // The rows of completed batches are compared again, because later rows may contradict them.
      for await (const batch of inBatches(this.#file, this.#task.batches, done.rows, (rows) =>
        this.#skip(rows),
      )) {
        this.#total = estimateRows(batch, this.#file, size);
        last = batch.rows.at(-1)?.number ?? last;
        const compared = await this.#comparer.compare(batch.rows, this.#context);
        while (
          this.#inFlight.length >= batchesAtOnce ||
          this.#hasFailed ||
          mustWait(compared.consistent, compared.aliases, this.#inFlight)
        )
          await this.#finishFirst();
        this.#inFlight.push(await this.#send(batch, compared));
      }
      this.#total = { rows: last, isEstimated: false };
      await this.#finishAll();
    } catch (error) {
      // After a read error the results of the batches already sent are still written.
      if (error instanceof ImportFileError) await this.#finishAll();
      throw error;
    } finally {
      // After another error no request may still be running when the lock of the import is released.
      this.#stop.abort();
      await Promise.allSettled(this.#inFlight.map(({ refused }) => refused));
    }
  }

  async #skip(rows: readonly ImportRow[]): Promise<void> {
    const { consistent, aliases } = await this.#comparer.compare(rows, this.#context);
    for (const row of consistent) {
      const key = row.kind === 'invalid' ? null : namedKeyOf(row);
      if (key !== null) this.#principals.add(key, aliases);
    }
  }

  /** Starts to send a batch. Resolves before the service has accepted it, so that the next one can be read. */
  async #send({ rows }: Batch, { aliases, errors, copies, consistent }: ComparedRows): Promise<SentBatch> {
    for (const { source, line } of rows)
      if (source === null && this.unparsedLines.length < samplesMax) this.unparsedLines.push(line);
    const prepared = await prepareRows(consistent, this.#task, this.#progress.seed, this.#context);
    const unsent = new Map([...errors, ...prepared.errors]);
    await this.#progress.recordSending(rows);
    const { anagrafe } = this.#context;
    const sender = new JobSender({ anagrafe, submit: this.#submitJob, wait: this.#waitFor });
    const signal = this.#signal;
    const options = { anagrafe, signal, rules: this.#task, send: sender.send, resendsCancelled: true };
    const refused = sendRows(prepared.complete, options);
    // `#finishFirst` throws the error, when it is the turn of this batch. Until then no other batch is sent.
    refused.catch(() => {
      this.#hasFailed = true;
    });
    const principals = changedPrincipals(prepared.complete, aliases, this.#task);
    return { sender, refused, prepared, aliases, unsent, copies, rows, principals };
  }

  /** Submits a job, unless an earlier run has submitted it and has saved its ID. */
  #submitJob: SubmitJob = async (operation, records, name, connection) => {
    const known = this.#progress.jobOf(name);
    const id = known ?? (await this.#submitNew(operation, records, name, connection));
    this.#context.onJob(id, 'submitted');
    if (known !== undefined) this.#earlierJobs.add(id);
    else await this.#progress.recordJob(name, id);
    return id;
  };

  #submitNew: SubmitJob = async (operation, records, name, connection) => {
    this.#context.signal?.throwIfAborted();
    const patient = { ...connection, signal: this.#submitSignal };
    const submit = submitWithKey(`import-${this.#progress.run}`, this.#context, this.#task);
    return submit(operation, records, name, patient).catch((error) => {
      if (!(error instanceof ApiError) || error.code !== 'IDEMPOTENCY_KEY_REUSED') throw error;
      // A reset looks up user IDs. Users added or removed since an earlier run change the body, which needs another key.
      return submit(operation, records, `${name}-${digestOf(records)}`, patient);
    });
  };

  async #finishAll(): Promise<void> {
    while (this.#inFlight.length > 0) await this.#finishFirst();
  }

  /** Waits for the jobs of the oldest batch in flight and writes its results. */
  async #finishFirst(): Promise<void> {
    const [batch] = this.#inFlight;
    if (!batch) return;
    this.#context.signal?.throwIfAborted();
    const { sender, refused, prepared, unsent, copies, rows } = batch;
    const errors = new Map([...unsent, ...(await refused)]);
    const stored = await removeStored(prepared.complete, errors, this.#task, this.#context);
    const { unchanged, registered } = sender.effects;
    const isSkipped = ({ number }: ImportRow) => stored.has(number) || unchanged.has(number);
    const skippedLines = rows.filter(isSkipped).map(({ line }) => line);
    const skipped = stored.size + unchanged.size;
    this.usernamesTaken += countTaken(errors);
    // The passwords of users that existed were kept.
    const passwords = new Map([...prepared.passwords].filter(([number]) => registered.has(number)));
    const invitations = await this.#issueCodes(sender);
    const jobNames = sender.jobs.map(({ name }) => name);
    const { emails } = prepared;
    const totals = this.#totals(batch, { errors, stored });
    await this.#results.write(
      {
        rows,
        passwords,
        invitations,
        emails,
        errors,
        stored,
        skipped,
        skippedLines,
        repeated: copies.size,
        totals,
        jobNames,
      },
      this.#file.layout,
    );
    this.#inFlight.shift();
    this.#report();
  }

  /** Issues the codes of the users that the jobs have invited. Those of a run that was interrupted before it saved them end. */
  async #issueCodes({ jobs }: JobSender): Promise<JobInvitation[]> {
    const { anagrafe, signal } = this.#context;
    const issued: JobInvitation[] = [];
    for (const { id, records } of this.#task.invite === 'code' ? jobs : [])
      if (records.some(({ record }) => invitesUsers(usersOf(record))))
        for await (const user of anagrafe.jobs.invitations(id, { signal })) issued.push(user);
    return issued;
  }

  /** Returns the totals of a completed batch. `refused` are the rows with errors, and those that are stored already. */
  #totals(
    { sender, prepared, aliases }: SentBatch,
    refused: { readonly errors: RowErrors; readonly stored: StoredRows },
  ): ImportTotals {
    const { effects, principals, unnamed } = sender;
    const known = this.#principals.count;
    for (const row of prepared.complete) {
      const key = row.kind === 'invalid' ? null : namedKeyOf(row);
      const isAccepted = !refused.errors.has(row.number) && !refused.stored.has(row.number);
      if (key !== null && isAccepted) this.#principals.add(key, aliases);
    }
    for (const { key } of refused.stored.values()) this.#principals.add(key, aliases);
    const applied = {
      ...effects.totals,
      PrincipalsInserted: principals.inserted + unnamed,
      PrincipalsUpdated: principals.updated,
      // Negative if the batch changes principals that an earlier one has left unchanged: the sum of all is right.
      PrincipalsUnchanged: this.#principals.count - known - principals.inserted - principals.updated,
      PasswordsNotUsed: ownPasswordsNotUsed(effects, prepared),
    };
    return addTotals(applied, totalsOfStored(prepared, refused.stored));
  }

  /**
   * Waits for the end of a job.
   *
   * @throws {JobCancelledError} If the job is cancelled during this run. The rows of a job that was cancelled before
   *   are sent again.
   */
  #waitFor = async (job: SubmittedJob, connection: ImportConnection): Promise<Job> => {
    let wasCancelledBefore = this.#earlierJobs.has(job.id);
    const ended = await waitForJob(job.id, connection, ({ State, RecordsDone }) => {
      if (State !== 'cancelled') wasCancelledBefore = false;
      this.#recordsDone.set(job.id, RecordsDone);
      this.#report();
    });
    this.#context.onJob(job.id, 'ended');
    const isCancelled = ended.State === 'cancelled' && !wasCancelledBefore;
    const rows = isCancelled ? await countCancelledRows(job, connection) : 0;
    if (rows > 0) throw new JobCancelledError(job.id, rows);
    return ended;
  };

  /** Reports the completed batches, with the part of those in flight that their jobs have done. */
  #report(): void {
    const { done } = this.#progress;
    let rowsDone = done.rows;
    for (const { sender, rows } of this.#inFlight) {
      // Its results are being written.
      if ((rows.at(-1)?.number ?? 0) <= done.rows) continue;
      const sent = sender.jobs.reduce((sum, { records }) => sum + records.length, 0);
      const applied = sender.jobs.reduce((sum, { id }) => sum + (this.#recordsDone.get(id) ?? 0), 0);
      rowsDone += sent > 0 ? Math.floor((rows.length * applied) / sent) : 0;
    }
    // A further round of a batch sends more records, which makes its share smaller.
    this.#rowsDone = Math.max(this.#rowsDone, rowsDone);
    this.#context.onProgress({ rowsDone: this.#rowsDone, completed: done, total: this.#total });
  }
}

function digestOf(records: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(records)).digest('hex').slice(0, 16);
}
