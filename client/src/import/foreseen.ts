import type { InsertRecord } from '../api.gen.ts';
import type { SheetItem } from '../sheet/item.ts';
import { usersIn } from './records.ts';
import { columnOf, foundHere, type RowFault } from './row-fault.ts';
import { foldedUsername } from './username.ts';

/** Principals by external key. */
export type Principals = ReadonlyMap<string, InsertRecord>;

/**
 * What rows that were tried would bring. Nothing of it is there, so that the service cannot know of it when others of the same file are
 * tried in another call.
 */
export class Foreseen {
  readonly #described: Map<string, InsertRecord>;
  readonly #inserted = new Map<string, InsertRecord>();
  readonly #usernames = new Set<string>();

  /** `described` is what other rows say of principals that are not there yet. */
  constructor(described: Principals = new Map()) {
    this.#described = new Map(described);
  }

  /** Those that come before the users of rows, which name them by their keys. */
  get described(): Principals {
    return this.#described;
  }

  describe(principals: Principals): void {
    for (const [key, principal] of principals) this.#described.set(key, principal);
  }

  principal(key: string): InsertRecord | undefined {
    return this.#described.get(key) ?? this.#inserted.get(key);
  }

  /** What the record of a row cannot have since another row has it. Where there is nothing, all of it is this row's from now on. */
  claim({ kind }: SheetItem, record: object, inserts: boolean): RowFault[] {
    const { ExternalKey, Users: _, ...texts } = record as InsertRecord;
    const key = inserts && typeof ExternalKey === 'string' ? ExternalKey : null;
    const isTaken = key !== null && this.principal(key) !== undefined;
    const faults = isTaken ? [foundHere('EXTERNAL_KEY_TAKEN', 'ExternalKey')] : [];
    const names = usersIn(record).map(({ Username }) =>
      typeof Username === 'string' ? foldedUsername(Username) : null,
    );
    for (const [at, name] of names.entries()) {
      if (name !== null && this.#usernames.has(name))
        faults.push(foundHere('USERNAME_TAKEN', columnOf(`Users[${at}].Username`, kind)));
    }
    if (faults.length > 0) return faults;
    for (const name of names) if (name !== null) this.#usernames.add(name);
    if (key !== null) this.#inserted.set(key, { ExternalKey: key, ...texts });
    return faults;
  }
}
