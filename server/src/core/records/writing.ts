import type { Code } from '../codes.ts';
import { Refusal } from '../faults.ts';
import { type Draft, sound } from './draft.ts';
import type { HashBatch, Hasher } from './hashing.ts';
import { type AppliedUser, applied, type Outcome, refused } from './outcome.ts';

const conflictRounds = 5;

/** Who calls, as far as the work itself has to know. */
export interface CallContext {
  /** The caller's fair share of the bulk lane. */
  readonly share: string;
  /** Takes a failure that the answer does not show, for the log. */
  report(error: unknown): void;
}

/**
 * A write that the store could not do.
 * `conflict`: something else was stored meanwhile, look again. `failed`: nothing was applied. `unknown`: the connection broke
 * while the store was at it.
 */
export class WriteFailure extends Error {
  readonly kind: 'conflict' | 'failed' | 'unknown';

  constructor(kind: WriteFailure['kind'], cause: unknown) {
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
  /** One short transaction: all of the record or nothing of it. */
  write(draft: D, hashes: readonly string[]): Promise<Written>;
}

/** Check, hash, write: every fault is found before the first password is hashed. */
export async function applyDrafts<D extends Draft>(
  drafts: readonly D[],
  writing: Writing<D>,
): Promise<Outcome[]> {
  await writing.check(drafts);
  const sound = drafts.filter((draft) => draft.faults.none);
  const count = sound.reduce((sum, draft) => sum + draft.users.length, 0);
  const { hasher, context } = writing;
  const batch = hasher.admit({ lane: count === 1 ? 'interactive' : 'bulk', share: context.share, count });
  const tails = new Map<unknown, Promise<unknown>>();
  const outcomes = await Promise.all(
    drafts.map((draft) => {
      if (!draft.faults.none) return refused(draft);
      const key = writing.order(draft);
      const outcome = applyDraft(draft, batch, tails.get(key), writing);
      tails.set(key, outcome);
      return outcome;
    }),
  );
  if (outcomes.every((outcome) => outcome.refusal?.code === 'NOT_APPLIED')) throw unavailable();
  return outcomes;
}

export function unavailable(cause?: unknown): Refusal {
  const seconds = 5;
  return new Refusal('UNAVAILABLE', { figures: { seconds }, retryAfterSeconds: seconds, cause });
}

async function applyDraft<D extends Draft>(
  draft: D,
  batch: HashBatch,
  before: Promise<unknown> | undefined,
  writing: Writing<D>,
): Promise<Outcome> {
  try {
    const hashes = await Promise.all(draft.users.map((item) => batch.hash(sound(item.password))));
    await before;
    for (let round = 1; ; round++) {
      try {
        const { id, users } = await writing.write(draft, hashes);
        return applied(id, users, draft);
      } catch (error) {
        if (!(error instanceof WriteFailure) || error.kind !== 'conflict' || round === conflictRounds)
          throw error;
        await writing.check([draft]);
        if (!draft.faults.none) return refused(draft);
      }
    }
  } catch (error) {
    writing.context.report(error);
    const code: Code =
      error instanceof WriteFailure && error.kind === 'unknown' ? 'OUTCOME_UNKNOWN' : 'NOT_APPLIED';
    return refused(draft, { code });
  }
}
