import type { AppliedUser, Outcome, PrincipalOutcome } from '../write/outcome.ts';

/** The number of effects of a call on principals and users, and of its records that change nothing. */
const noEffect = {
  principalsInserted: 0,
  /** A merge counts as an update of the principal that remains. */
  principalsUpdated: 0,
  /** Those that an undo deletes. */
  principalsDeleted: 0,
  usersRegistered: 0,
  usersUpdated: 0,
  usersMoved: 0,
  usersDisabled: 0,
  usersDeleted: 0,
  unchanged: 0,
};

export type EffectCounts = Readonly<typeof noEffect>;

/** The count of each effect on a principal or user. */
const countOf: Partial<Record<PrincipalOutcome | AppliedUser['operation'], keyof EffectCounts>> = {
  inserted: 'principalsInserted',
  updated: 'principalsUpdated',
  deleted: 'principalsDeleted',
  register: 'usersRegistered',
  edit: 'usersUpdated',
  reset: 'usersUpdated',
  move: 'usersMoved',
  disable: 'usersDisabled',
  delete: 'usersDeleted',
};

/** Counts the effects of outcomes one by one, so that the outcomes need not be kept. */
export class EffectCounter {
  readonly #counts = { ...noEffect };

  /** Adds the effect of a record; a failed record has none. */
  add(outcome: Outcome): void {
    const { error, principal, users } = outcome;
    if (error !== null) return;
    if (isUnchangedOutcome(outcome)) this.#counts.unchanged++;
    this.#count(principal);
    for (const { operation } of users) this.#count(operation);
  }

  #count(effect: keyof typeof countOf | undefined): void {
    const name = effect && countOf[effect];
    if (name) this.#counts[name]++;
  }

  get counts(): EffectCounts {
    return { ...this.#counts };
  }
}

export function effectCounts(outcomes: Iterable<Outcome>): EffectCounts {
  const counter = new EffectCounter();
  for (const outcome of outcomes) counter.add(outcome);
  return counter.counts;
}

/** Returns true if the record is applied and changes nothing. */
export function isUnchangedOutcome({ error, principal, users }: Outcome): boolean {
  return error === null && principal === 'unchanged' && users.every(({ operation }) => operation === 'none');
}
