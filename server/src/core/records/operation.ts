import type { Faults } from '../faults.ts';
import type { Fields } from '../fields/fields.ts';
import type { Turns } from '../turns.ts';
import type { Draft } from './draft.ts';
import type { Need } from './numbering.ts';
import type { Occasion, Written } from './writing.ts';

export type OperationName = 'update' | 'insert' | 'state';

/** IDs that were set aside for what a record creates, before it is written. */
export interface Numbers {
  readonly principal: number | null;
  /** One for each registration, in the order sent. */
  readonly users: readonly number[];
}

/** What a sound draft needs beside itself to be written. */
export interface Ingredients {
  readonly numbers: Numbers;
  /** One for each user, in the order sent. */
  readonly hashes: readonly string[];
  readonly occasion: Occasion;
}

/** The checks of one call against the store. */
export interface Check<D extends Draft> {
  run(drafts: readonly D[]): Promise<void>;
}

/** What sets the two writing calls apart: how a record of theirs is read, checked and written. */
export interface Operation<D extends Draft = Draft> {
  readonly name: OperationName;
  /** Reads a record, and puts its errors into `faults`. */
  read(fields: Fields, faults: Faults, turns: Turns): Promise<D>;
  /**
   * Begins the checks of one call against the store. What a sound record claims, no later one can have, however
   * many at a time are checked.
   */
  newCheck(): Check<D>;
  /** Records with the same key are applied in the order sent; those without one in any order. */
  order(draft: D): number | null;
  need(draft: D): Need;
  /** Sets IDs aside, for each need its own, in the order given. */
  number(needs: readonly Need[]): Promise<readonly Numbers[]>;
  /** The ID under which a record can be looked for when it is not known whether it was written. */
  idOf(draft: D, numbers: Numbers): number | null;
  /** One short transaction: all of the record or nothing of it. Throws a `WriteFailure`. */
  write(draft: D, ingredients: Ingredients): Promise<Written>;
}

export type Operations = Readonly<Record<OperationName, Operation>>;
