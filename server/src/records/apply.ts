import type { Actor } from '../audit/audit-log.ts';
import { WriteFailure, type WriteFailureKind } from '../db/errors.ts';
import type { Code } from '../lib/error-codes.ts';
import { ApiError } from '../lib/field-errors.ts';
import { Semaphore } from '../lib/semaphore.ts';
import { Aborted, type HashBatch, type Hasher } from '../passwords/hash-pool.ts';
import type { ReservedIds } from './id-reservation.ts';
import type { Operation } from './operation.ts';
import { applied, type Outcome, type RecordReference, refused } from './outcome.ts';
import { type ParsedRecord, required } from './parsed-record.ts';

const conflictRounds = 5;
/** Maximum number of parallel writes per call: enough to keep up with hashing, and fair to other calls. */
export const writesAtOnce = 4;

/** Maximum number of hashes of one record that are requested at a time. */
const hashesAtOnce = 1000;

/** The client or job on whose behalf records are applied. */
export interface Requester {
  readonly actor: Actor;
  /** Key for fair sharing of the bulk lane of the hash pool. */
  readonly share: string;
  /** Aborts work that may wait without limit, such as a job. Null if a client waits for the answer. */
  readonly signal: AbortSignal | null;
  /** The hash that was verified when a signed-in user changes its own password. */
  readonly expectedCurrentHash?: string;
  /** Logs an error that the outcome does not show. */
  report(error: unknown): void;
}

/** Returns the call ID and the position of a record. */
export type ReferenceOf<D extends ParsedRecord> = (parsed: D) => RecordReference;

interface Work<D extends ParsedRecord> {
  readonly operation: Operation<D>;
  readonly requester: Requester;
  readonly referenceOf: ReferenceOf<D> | null;
  readonly batch: HashBatch;
  readonly semaphore: Semaphore;
  readonly numbers: ReadonlyMap<D, ReservedIds>;
}

/**
 * Admits checked records to the hash pool and reserves their IDs. The returned function hashes and writes them. It
 * resolves to one outcome per record, in the same order; null if another node has settled the record meanwhile.
 */
export async function prepareRecords<D extends ParsedRecord>(
  operation: Operation<D>,
  parsedRecords: readonly D[],
  options: {
    requester: Requester;
    hasher: Hasher;
    referenceOf: ReferenceOf<D> | null;
    line: TaskChain;
    /** IDs that were reserved earlier. Without them, IDs are reserved here. */
    numbers?: ReadonlyMap<D, ReservedIds>;
    /** Limits the writes of several calls together. Without it, the limit is `writesAtOnce`. */
    semaphore?: Semaphore;
  },
): Promise<() => Promise<(Outcome | null)[]>> {
  const { requester, referenceOf, hasher, line, semaphore = new Semaphore(writesAtOnce) } = options;
  const valid = parsedRecords.filter((parsed) => parsed.faults.none);
  const count = valid.reduce((sum, parsed) => sum + passwordsOf(parsed), 0);
  const { share, signal } = requester;
  const lane = count === 1 && !signal ? 'interactive' : 'bulk';
  const batch = hasher.admit({ lane, share, count, signal });
  const numbers = options.numbers ?? (await numbersFor(valid, operation));
  const work = { operation, requester, referenceOf, batch, semaphore, numbers };
  return () =>
    Promise.all(
      parsedRecords.map((parsed) => {
        if (!parsed.faults.none) return refused(parsed);
        return line.join(operation.order(parsed), (before) => applyRecord(parsed, before, work));
      }),
    );
}

async function numbersFor<D extends ParsedRecord>(
  parsedRecords: readonly D[],
  operation: Operation<D>,
): Promise<ReadonlyMap<D, ReservedIds>> {
  const numbers = await operation.number(parsedRecords.map((parsed) => operation.need(parsed)));
  return new Map(parsedRecords.map((parsed, at) => [parsed, required(numbers[at])]));
}

/** Returns true if an outcome is final; false if the record may be tried again or its commit is unconfirmed. */
export function isSettled(outcome: Outcome): boolean {
  const code = outcome.refusal?.code;
  return code !== 'NOT_APPLIED' && code !== 'OUTCOME_UNKNOWN';
}

/** Chains tasks with the same key: each task gets the promise of the task that joined before it, to wait for. */
export class TaskChain {
  readonly #tails = new Map<number, Promise<Outcome | null>>();

  join(
    key: number | null,
    task: (before: Promise<Outcome | null> | undefined) => Promise<Outcome | null>,
  ): Promise<Outcome | null> {
    if (key === null) return task(undefined);
    const result = task(this.#tails.get(key));
    this.#tails.set(key, result);
    return result;
  }
}

export function passwordsOf(parsed: ParsedRecord): number {
  return parsed.users.filter((item) => item.password !== null).length;
}

async function applyRecord<D extends ParsedRecord>(
  parsed: D,
  before: Promise<Outcome | null> | undefined,
  work: Work<D>,
): Promise<Outcome | null> {
  try {
    const hashes = await hashesOf(parsed, work.batch);
    const earlier = await before;
    // A resumed call would apply the unsettled earlier record after this one, and undo the change of this one.
    if (work.referenceOf?.(parsed).kept && earlier && !isSettled(earlier))
      return refused(parsed, { code: 'NOT_APPLIED' });
    return await work.semaphore.run(() => writeRecord(parsed, hashes, work));
  } catch (error) {
    if (error instanceof Aborted) throw error;
    const kind = kindOf(error);
    if (kind === 'settled') return null;
    work.requester.report(error);
    const id = kind === 'unknown' ? work.operation.idOf(parsed, numbersOf(parsed, work)) : parsed.sentId;
    return { ...refused(parsed, { code: failureCodes[kind] }), id };
  }
}

/** An `ApiError` means that a read of the store failed: nothing was written, and a retry may succeed. */
function kindOf(error: unknown): WriteFailureKind {
  if (error instanceof WriteFailure) return error.kind;
  return error instanceof ApiError ? 'away' : 'refused';
}

/** Requests the hashes in groups of `hashesAtOnce`, because a record may have 100,000 users. */
async function hashesOf(parsed: ParsedRecord, batch: HashBatch): Promise<string[]> {
  const hashes: string[] = [];
  for (let at = 0; at < parsed.users.length; at += hashesAtOnce) {
    const some = parsed.users.slice(at, at + hashesAtOnce);
    hashes.push(...(await Promise.all(some.map((item) => hashOf(item, batch)))));
  }
  return hashes;
}

async function hashOf(item: ParsedRecord['users'][number], batch: HashBatch): Promise<string> {
  if (item.operation === 'register' && item.passwordHash !== null) return item.passwordHash;
  return batch.hash(required(item.password));
}

const failureCodes: Record<Exclude<WriteFailureKind, 'settled'>, Code> = {
  conflict: 'NOT_APPLIED',
  away: 'NOT_APPLIED',
  refused: 'RECORD_FAILED',
  unknown: 'OUTCOME_UNKNOWN',
};

async function writeRecord<D extends ParsedRecord>(
  parsed: D,
  hashes: readonly string[],
  work: Work<D>,
): Promise<Outcome> {
  const { operation, referenceOf } = work;
  const input = {
    numbers: numbersOf(parsed, work),
    hashes,
    context: {
      actor: work.requester.actor,
      reference: referenceOf?.(parsed) ?? null,
      expectedCurrentHash: work.requester.expectedCurrentHash ?? null,
    },
  };
  for (let round = 1; ; round++) {
    try {
      const { id, users } = await operation.write(parsed, input);
      return applied(id, users, parsed);
    } catch (error) {
      const conflict = error instanceof WriteFailure && error.kind === 'conflict';
      if (!conflict || round === conflictRounds) throw error;
      await operation.newCheck().run([parsed]);
      if (!parsed.faults.none) return refused(parsed);
    }
  }
}

function numbersOf<D extends ParsedRecord>(parsed: D, work: Work<D>): ReservedIds {
  return required(work.numbers.get(parsed));
}
