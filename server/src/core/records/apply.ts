import type { Code } from '../codes.ts';
import { Refusal } from '../faults.ts';
import type { Author } from '../journal/journal.ts';
import { type Draft, required } from './draft.ts';
import { BrokenOff, type HashBatch, type Hasher } from './hashing.ts';
import type { Numbers, Operation } from './operation.ts';
import { applied, type Outcome, refused } from './outcome.ts';
import { Slots } from './slots.ts';
import { type Receipt, WriteFailure, type WriteFailureKind } from './writing.ts';

const conflictRounds = 5;
/** So many writes of one call may be under way: enough to keep up with the hashes, and others get their turn. */
export const writesAtOnce = 4;

/** So many hashes of one record are asked for at once. */
const hashesAtOnce = 1000;

/** Who wants records applied, as far as the work itself has to know. */
export interface Applicant {
  readonly author: Author;
  /** The caller's fair share of the bulk lane. */
  readonly share: string;
  /** Of work that waits as long as it takes, as that of a job: told when to break off. Null where a caller waits. */
  readonly breakOff: AbortSignal | null;
  /** The hash that was verified before a password may be changed, by whoever changes its own. */
  readonly onlyOver?: string;
  /** Takes a failure that the outcome does not show, for the log. */
  report(error: unknown): void;
}

/** Where each record stands in its call. */
export type Receipts<D extends Draft> = (draft: D) => Receipt;

interface Work<D extends Draft> {
  readonly operation: Operation<D>;
  readonly applicant: Applicant;
  readonly receiptOf: Receipts<D> | null;
  readonly batch: HashBatch;
  readonly slots: Slots;
  readonly numbers: ReadonlyMap<D, Numbers>;
}

/**
 * Takes drafts that have been checked into the hashing pool and sets their IDs aside. What it returns hashes and
 * writes them; one outcome for each, in their order, or null where somebody else has settled the record meanwhile.
 */
export async function prepareDrafts<D extends Draft>(
  operation: Operation<D>,
  drafts: readonly D[],
  options: {
    applicant: Applicant;
    hasher: Hasher;
    receiptOf: Receipts<D> | null;
    line: Line;
    /** IDs that were set aside before. */
    numbers?: ReadonlyMap<D, Numbers>;
    /** Those of the writes, where several share them. */
    slots?: Slots;
  },
): Promise<() => Promise<(Outcome | null)[]>> {
  const { applicant, receiptOf, hasher, line, slots = new Slots(writesAtOnce) } = options;
  const sound = drafts.filter((draft) => draft.faults.none);
  const count = sound.reduce((sum, draft) => sum + passwordsOf(draft), 0);
  const { share, breakOff } = applicant;
  const lane = count === 1 && !breakOff ? 'interactive' : 'bulk';
  const batch = hasher.admit({ lane, share, count, breakOff });
  const numbers = options.numbers ?? (await numbersFor(sound, operation));
  const work = { operation, applicant, receiptOf, batch, slots, numbers };
  return () =>
    Promise.all(
      drafts.map((draft) => {
        if (!draft.faults.none) return refused(draft);
        return line.join(operation.order(draft), (before) => applyDraft(draft, before, work));
      }),
    );
}

async function numbersFor<D extends Draft>(
  drafts: readonly D[],
  operation: Operation<D>,
): Promise<ReadonlyMap<D, Numbers>> {
  const numbers = await operation.number(drafts.map((draft) => operation.need(draft)));
  return new Map(drafts.map((draft, at) => [draft, required(numbers[at])]));
}

/** Whether an outcome is the last word on its record, and not the trace of a database that was away. */
export function isSettled(outcome: Outcome): boolean {
  const code = outcome.refusal?.code;
  return code !== 'NOT_APPLIED' && code !== 'OUTCOME_UNKNOWN';
}

/** Lets what has the same key go one after the other, in the order in which it joins. */
export class Line {
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

export function passwordsOf(draft: Draft): number {
  return draft.users.filter((item) => item.password !== null).length;
}

async function applyDraft<D extends Draft>(
  draft: D,
  before: Promise<Outcome | null> | undefined,
  work: Work<D>,
): Promise<Outcome | null> {
  try {
    const hashes = await hashesOf(draft, work.batch);
    const earlier = await before;
    // What is carried on later begins with the earlier record, which would then undo the later one.
    if (work.receiptOf?.(draft).kept && earlier && !isSettled(earlier))
      return refused(draft, { code: 'NOT_APPLIED' });
    return await work.slots.run(() => writeDraft(draft, hashes, work));
  } catch (error) {
    if (error instanceof BrokenOff) throw error;
    const kind = kindOf(error);
    if (kind === 'settled') return null;
    work.applicant.report(error);
    const id = kind === 'unknown' ? work.operation.idOf(draft, numbersOf(draft, work)) : draft.sentId;
    return { ...refused(draft, { code: failureCodes[kind] }), id };
  }
}

/** A store that could not be asked is away: nothing was written, and it may succeed later. */
function kindOf(error: unknown): WriteFailureKind {
  if (error instanceof WriteFailure) return error.kind;
  return error instanceof Refusal ? 'away' : 'refused';
}

/** A record with a hundred thousand users does not ask for all of their hashes at once. */
async function hashesOf(draft: Draft, batch: HashBatch): Promise<string[]> {
  const hashes: string[] = [];
  for (let at = 0; at < draft.users.length; at += hashesAtOnce) {
    const some = draft.users.slice(at, at + hashesAtOnce);
    hashes.push(...(await Promise.all(some.map((item) => hashOf(item, batch)))));
  }
  return hashes;
}

async function hashOf(item: Draft['users'][number], batch: HashBatch): Promise<string> {
  if (item.operation === 'register' && item.passwordHash !== null) return item.passwordHash;
  return batch.hash(required(item.password));
}

const failureCodes: Record<Exclude<WriteFailureKind, 'settled'>, Code> = {
  conflict: 'NOT_APPLIED',
  away: 'NOT_APPLIED',
  refused: 'RECORD_FAILED',
  unknown: 'OUTCOME_UNKNOWN',
};

async function writeDraft<D extends Draft>(
  draft: D,
  hashes: readonly string[],
  work: Work<D>,
): Promise<Outcome> {
  const { operation, receiptOf } = work;
  const ingredients = {
    numbers: numbersOf(draft, work),
    hashes,
    occasion: {
      author: work.applicant.author,
      receipt: receiptOf?.(draft) ?? null,
      onlyOver: work.applicant.onlyOver ?? null,
    },
  };
  for (let round = 1; ; round++) {
    try {
      const { id, users } = await operation.write(draft, ingredients);
      return applied(id, users, draft);
    } catch (error) {
      const conflict = error instanceof WriteFailure && error.kind === 'conflict';
      if (!conflict || round === conflictRounds) throw error;
      await operation.newCheck().run([draft]);
      if (!draft.faults.none) return refused(draft);
    }
  }
}

function numbersOf<D extends Draft>(draft: D, work: Work<D>): Numbers {
  return required(work.numbers.get(draft));
}
