import type { Outcome } from '../write/outcome.ts';

/** The number of principals and users that a call inserts, changes and removes. */
export interface EffectCounts {
  readonly principalsInserted: number;
  readonly principalsUpdated: number;
  /** Those that an undo deletes. A merge counts as an update of the principal that remains. */
  readonly principalsDeleted: number;
  readonly usersRegistered: number;
  readonly usersUpdated: number;
  readonly usersMoved: number;
  readonly usersDisabled: number;
  readonly usersDeleted: number;
  /** Number of records that change nothing. */
  readonly unchanged: number;
}

/** Counts the effects of outcomes one by one, so that the outcomes need not be kept. */
export class EffectCounter {
  readonly #counts = {
    principalsInserted: 0,
    principalsUpdated: 0,
    principalsDeleted: 0,
    usersRegistered: 0,
    usersUpdated: 0,
    usersMoved: 0,
    usersDisabled: 0,
    usersDeleted: 0,
    unchanged: 0,
  };

  /** Adds the effect of a record; a failed record has none. */
  add(outcome: Outcome): void {
    if (outcome.error !== null) return;
    const counts = this.#counts;
    if (isUnchangedOutcome(outcome)) counts.unchanged++;
    if (outcome.principal === 'inserted') counts.principalsInserted++;
    if (outcome.principal === 'updated') counts.principalsUpdated++;
    if (outcome.principal === 'deleted') counts.principalsDeleted++;
    for (const { operation } of outcome.users) {
      if (operation === 'register') counts.usersRegistered++;
      else if (operation === 'edit' || operation === 'reset') counts.usersUpdated++;
      else if (operation === 'move') counts.usersMoved++;
      else if (operation === 'disable') counts.usersDisabled++;
      else if (operation === 'delete') counts.usersDeleted++;
    }
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
