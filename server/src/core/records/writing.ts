import type { Code } from '../codes.ts';
import { Refusal } from '../faults.ts';
import type { BatchLimits } from './batch.ts';
import { type Draft, required } from './draft.ts';
import type { HashBatch, Hasher } from './hashing.ts';
import { type AppliedUser, applied, type Outcome, refused } from './outcome.ts';
import type { UserRules } from './user-item.ts';

const conflictRounds = 5;
/** So many writes of one call may be under way: enough to keep up with the hashes, and others get their turn. */
const writesAtOnce = 4;

/** What the writing calls are made of. */
export interface WritingTools<Store> {
  readonly store: Store;
  readonly hasher: Hasher;
  readonly rules: UserRules;
  readonly limits: BatchLimits;
}

/** Who calls, as far as the work itself has to know. */
export interface CallContext {
  /** The caller's fair share of the bulk lane. */
  readonly share: string;
  /** Takes a failure that the answer does not show, for the log. */
  report(error: unknown): void;
}

/**
 * A write that the store could not do.
 * `conflict`: something else was stored meanwhile, look again. `away`: nothing was written, and it may succeed later.
 * `refused`: nothing was written, nor will it be. `unknown`: the connection broke while the store was at it.
 */
export type WriteFailureKind = 'conflict' | 'away' | 'refused' | 'unknown';

export class WriteFailure extends Error {
  readonly kind: WriteFailureKind;

  constructor(kind: WriteFailureKind, cause?: unknown) {
    super(`the write ended as ${kind}`, { cause });
    this.name = 'WriteFailure';
    this.kind = kind;
  }
}

export interface Written {
  readonly id: number;
  readonly users: readonly AppliedUser[];
}

export interface Writing<D extends Draft> {
  readonly hasher: Hasher;
  readonly context: CallContext;
  /** Drafts with the same key are written one after the other, in the order sent. */
  order(draft: D): unknown;
  /** Looks up again what could be refused; called once for the whole call, and for one record after a conflict. */
  check(drafts: readonly D[]): Promise<void>;
  /** The ID under which a record can be looked for when it is not known whether it was written. */
  idOf(draft: D): number | null;
  /** One short transaction: all of the record or nothing of it. */
  write(draft: D, hashes: readonly string[]): Promise<Written>;
}

/** Check, hash, write: every fault is found before the first password is hashed. */
export async function applyDrafts<D extends Draft>(
  drafts: readonly D[],
  writing: Writing<D>,
): Promise<Outcome[]> {
  await writing.check(drafts);
  const count = drafts.reduce((sum, draft) => sum + (draft.faults.none ? draft.users.length : 0), 0);
  const { hasher, context } = writing;
  const batch = hasher.admit({ lane: count === 1 ? 'interactive' : 'bulk', share: context.share, count });
  const slots = new Slots(writesAtOnce);
  const tails = new Map<unknown, Promise<unknown>>();
  return Promise.all(
    drafts.map((draft) => {
      if (!draft.faults.none) return refused(draft);
      const key = writing.order(draft);
      const outcome = applyDraft(draft, batch, slots, tails.get(key), writing);
      tails.set(key, outcome);
      return outcome;
    }),
  );
}

export function unavailable(cause?: unknown): Refusal {
  const seconds = 5;
  return new Refusal('UNAVAILABLE', { figures: { seconds }, retryAfterSeconds: seconds, cause });
}

async function applyDraft<D extends Draft>(
  draft: D,
  batch: HashBatch,
  slots: Slots,
  before: Promise<unknown> | undefined,
  writing: Writing<D>,
): Promise<Outcome> {
  try {
    const hashes = await Promise.all(draft.users.map((item) => batch.hash(required(item.password))));
    await before;
    return await slots.run(() => writeDraft(draft, hashes, writing));
  } catch (error) {
    writing.context.report(error);
    const kind = error instanceof WriteFailure ? error.kind : 'refused';
    const id = kind === 'unknown' ? writing.idOf(draft) : draft.sentId;
    return { ...refused(draft, { code: failureCodes[kind] }), id };
  }
}

const failureCodes: Record<WriteFailureKind, Code> = {
  conflict: 'NOT_APPLIED',
  away: 'NOT_APPLIED',
  refused: 'RECORD_FAILED',
  unknown: 'OUTCOME_UNKNOWN',
};

async function writeDraft<D extends Draft>(
  draft: D,
  hashes: readonly string[],
  writing: Writing<D>,
): Promise<Outcome> {
  for (let round = 1; ; round++) {
    try {
      const { id, users } = await writing.write(draft, hashes);
      return applied(id, users, draft);
    } catch (error) {
      const conflict = error instanceof WriteFailure && error.kind === 'conflict';
      if (!conflict || round === conflictRounds) throw error;
      await writing.check([draft]);
      if (!draft.faults.none) return refused(draft);
    }
  }
}

/** Lets a few tasks run at once, and the others in the order they came. */
class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
