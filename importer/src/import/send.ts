import { type Anagrafe, ApiError, type InsertRecord, type Job, type Tuple } from '@anagrafe/client';
import type { ImportRow } from '../file/rows.ts';
import {
  type BatchRecords,
  buildRecords,
  findRepeatedUsernames,
  type PrincipalDescriptions,
  type RowRecord,
} from './records.ts';
import {
  fromFieldErrors,
  fromTuple,
  type RowError,
  type RowErrors,
  rowError,
  tupleMessage,
} from './row-errors.ts';

export interface ImportConnection {
  readonly anagrafe: Anagrafe;
  readonly signal?: AbortSignal | undefined;
}

/** The result for a part of the items: an answer or, for a single item, the message of the `ApiError`. */
export type Part<Item, Answer> =
  | { readonly items: readonly Item[]; readonly answer: Answer; readonly rejection: null }
  | { readonly items: readonly [Item]; readonly answer: null; readonly rejection: string };

/**
 * Sends all items in one call. If the service rejects the call as too large or invalid (status 413 or 400), bisects the
 * items until the call succeeds or the invalid item is alone. Rethrows every other error.
 */
export async function sendInParts<Item, Answer>(
  items: readonly Item[],
  send: (some: readonly Item[]) => Promise<Answer>,
): Promise<Part<Item, Answer>[]> {
  const [first] = items;
  if (first === undefined) return [];
  try {
    return [{ items, answer: await send(items), rejection: null }];
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 413)) throw error;
    if (items.length === 1) return [{ items: [first], answer: null, rejection: error.message }];
    const half = Math.ceil(items.length / 2);
    return [
      ...(await sendInParts(items.slice(0, half), send)),
      ...(await sendInParts(items.slice(half), send)),
    ];
  }
}

/**
 * The service did not apply a principal that other rows need, or does not know whether it did, for a reason other than
 * its content. The rows are not invalid: send the batch again.
 */
export class PrincipalNotAppliedError extends Error {
  readonly reason: RowError;

  constructor(reason: RowError) {
    super(reason.message);
    this.name = 'PrincipalNotAppliedError';
    this.reason = reason;
  }
}

/** Principals by external key. */
export type Principals = ReadonlyMap<string, InsertRecord>;

/** The result of an insert or of its dry run. A principal that already exists is in neither map. */
interface InsertResult {
  /** Principals that were inserted or, after a dry run, can be. */
  readonly inserted: Principals;
  /** Errors of the principals that do not exist and cannot be inserted, by external key. */
  readonly errors: ReadonlyMap<string, readonly RowError[]>;
}

/** The default limit of the service for a call that is not a job. `sendInParts` handles a lower limit. */
const recordsPerCall = 1000;

/**
 * Inserts the principals of a batch that do not exist yet. Returns the errors of the rows whose principal could not be
 * inserted, by row number.
 *
 * @throws {PrincipalNotAppliedError} If the service could not apply a principal, or does not know whether it did.
 */
async function insertPrincipals(
  { principals, update }: BatchRecords,
  connection: ImportConnection,
): Promise<RowErrors> {
  // The dry run finds the principals that exist, which would otherwise count as failed records of the insert call.
  const checked = await dryRunPrincipals(principals, connection);
  const result = await insert(checked.inserted, connection, false);
  const errors = new Map([...checked.errors, ...result.errors]);
  return new Map(
    update.flatMap(({ row, record }) => {
      const found = record.ExternalKey ? errors.get(record.ExternalKey) : undefined;
      return found ? [[row.number, found] as const] : [];
    }),
  );
}

/** Checks the first description of each principal with a dry run, and the next description if that one is invalid. */
export async function dryRunPrincipals(
  descriptions: PrincipalDescriptions,
  connection: ImportConnection,
): Promise<InsertResult> {
  const inserted = new Map<string, InsertRecord>();
  const errors = new Map<string, readonly RowError[]>();
  let remaining = descriptions;
  for (let index = 0; remaining.size > 0; index++) {
    const current = [...remaining].flatMap(([key, all]) =>
      all.slice(index, index + 1).map((one) => [key, one] as const),
    );
    const result = await insert(new Map(current), connection, true);
    for (const [key, record] of result.inserted) inserted.set(key, record);
    for (const [key] of current) errors.delete(key);
    for (const [key, found] of result.errors) errors.set(key, found);
    remaining = new Map(
      [...remaining].filter(([key, all]) => result.errors.has(key) && all.length > index + 1),
    );
  }
  return { inserted, errors };
}

async function insert(
  principals: Principals,
  { anagrafe, signal }: ImportConnection,
  dryRun: boolean,
): Promise<InsertResult> {
  const inserted = new Map<string, InsertRecord>();
  const errors = new Map<string, readonly RowError[]>();
  const all = [...principals];
  for (let at = 0; at < all.length; at += recordsPerCall) {
    const parts = await sendInParts(all.slice(at, at + recordsPerCall), (some) =>
      anagrafe.insert(
        some.map(([, record]) => record),
        { dryRun, signal },
      ),
    );
    for (const { items, answer, rejection } of parts) {
      for (const [index, [key, record]] of items.entries()) {
        const tuple = answer?.tuples[index];
        if (rejection !== null) errors.set(key, [rowError(rejection)]);
        else if (tuple?.Item3) inserted.set(key, record);
        else if (tuple && !alreadyExists(tuple))
          errors.set(key, fromTuple(requireFinal(tuple), 'PRINCIPAL_NOT_INSERTED'));
      }
    }
  }
  return { inserted, errors };
}

/**
 * Throws if the principal failed for a reason other than its content, because then its rows are not invalid.
 *
 * @throws {PrincipalNotAppliedError}
 */
function requireFinal(tuple: Tuple): Tuple {
  if (tuple.Item2 !== 'NOT_APPLIED' && tuple.Item2 !== 'OUTCOME_UNKNOWN') return tuple;
  throw new PrincipalNotAppliedError(tupleMessage(tuple, 'PRINCIPAL_NOT_INSERTED'));
}

function alreadyExists({ Item5 }: Tuple): boolean {
  return Item5.ExternalKey?.some(({ code }) => code === 'EXTERNAL_KEY_TAKEN') ?? false;
}

/** A submitted job and the rows of its records, in the order of the records. */
export interface SubmittedJob {
  /** Unique within an import, and the same whenever the same rows are submitted again. */
  readonly name: string;
  readonly id: string;
  readonly records: readonly RowRecord<unknown>[];
}

/** Rows that the service has accepted as jobs. The jobs run even if this program ends. */
export interface SubmittedRows {
  readonly jobs: readonly SubmittedJob[];
  /** Errors of the rows that are in none of the jobs. */
  readonly rejected: RowErrors;
  /** Errors of the rows whose principal could not be inserted; more specific than the errors in the job results. */
  readonly principalErrors: RowErrors;
}

/** Submits records as one job and returns the job ID. The same name must lead to the same job. */
export type SubmitJob = (
  operation: 'insert' | 'update',
  records: readonly never[],
  name: string,
) => Promise<string>;

/**
 * Inserts the principals that the rows describe, then submits the rows as one job per operation, or as several if the
 * service rejects a request as a whole.
 *
 * @throws {PrincipalNotAppliedError} If the service could not apply a principal, or does not know whether it did.
 */
export async function submitRows(
  rows: readonly ImportRow[],
  connection: ImportConnection,
  submitJob: SubmitJob,
): Promise<SubmittedRows> {
  const records = buildRecords(rows);
  // Rows whose principals could not be inserted are sent too: a batch that is sent again must have the same content.
  const principalErrors = await insertPrincipals(records, connection);
  const rejected: RowErrors = new Map(records.errors);
  const jobs: SubmittedJob[] = [];
  await submit('insert', records.insert);
  await submit('update', records.update);
  return { jobs, rejected, principalErrors };

  async function submit(operation: 'insert' | 'update', all: readonly RowRecord<unknown>[]): Promise<void> {
    const parts = await sendInParts(all, async (part) => {
      const name = `${operation}-${part[0]?.row.number}-${part.length}`;
      return { name, id: await submitJob(operation, part.map(({ record }) => record) as never[], name) };
    });
    for (const { items, answer, rejection } of parts) {
      if (answer) jobs.push({ ...answer, records: items });
      else for (const { row } of items) rejected.set(row.number, [rowError(rejection)]);
    }
  }
}

/**
 * Returns a function that submits a job with an idempotency key of its name, so that a repetition does not apply a
 * record twice.
 *
 * @param prefix Identifies the import.
 */
export function submitWithKey(prefix: string, { anagrafe, signal }: ImportConnection): SubmitJob {
  return async (operation, records, name) => {
    const options = { idempotencyKey: `${prefix}-${name}`, signal };
    return (await anagrafe.jobs.submit(operation, records, options)).ID;
  };
}

export async function readJobs(
  jobs: readonly SubmittedJob[],
  { anagrafe, signal }: ImportConnection,
): Promise<Job[]> {
  const read = async ({ id }: SubmittedJob) => (await anagrafe.jobs.get(id, { pageSize: 1, signal })).record;
  return Promise.all(jobs.map(read));
}

/**
 * Returns the errors of all submitted rows that were not applied, by row number.
 *
 * @param ended The jobs after they have ended, in the order of `jobs`.
 */
export async function readRowErrors(
  { jobs, rejected, principalErrors }: SubmittedRows,
  ended: readonly Job[],
  { anagrafe, signal }: ImportConnection,
): Promise<RowErrors> {
  const errors: RowErrors = new Map(rejected);
  const repeated = findRepeatedUsernames(jobs.flatMap(({ records }) => records));
  for (const [index, { id, records }] of jobs.entries()) {
    if (ended[index]?.RecordsFailed === 0) continue;
    for (const { Position, FieldErrors } of await anagrafe.jobs.failed(id, { signal })) {
      const row = records[Position]?.row;
      if (row)
        errors.set(
          row.number,
          principalErrors.get(row.number) ?? fromFieldErrors(FieldErrors, row.kind, repeated.get(row.number)),
        );
    }
  }
  return errors;
}
