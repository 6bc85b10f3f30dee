import type { InsertRecord } from '../api.gen.ts';
import type { SheetItem } from '../sheet/item.ts';
import { usersIn } from './records.ts';
import { columnOf, foundHere, type RowFault } from './row-fault.ts';
import { foldedUsername } from './username.ts';

/** Principals by external key. */
export type Principals = ReadonlyMap<string, InsertRecord>;

/**
 * Principals and usernames that the dry runs of earlier rows would create. A dry run stores nothing, so the service
 * cannot detect conflicts between rows of the same file that are checked in different calls.
 */
export class Foreseen {
  readonly #described: Map<string, InsertRecord>;
  readonly #inserted = new Map<string, InsertRecord>();
  readonly #usernames = new Set<string>();

  /** @param described Principals that do not exist yet and that other rows of the file describe. */
  constructor(described: Principals = new Map()) {
    this.#described = new Map(described);
  }

  /** The principals that the import inserts before the users of the rows that refer to them by external key. */
  get described(): Principals {
    return this.#described;
  }

  /** Adds principals that do not exist yet. */
  describe(principals: Principals): void {
    for (const [key, principal] of principals) this.#described.set(key, principal);
  }

  /** Returns the principal that the import would create with this external key. */
  principal(key: string): InsertRecord | undefined {
    return this.#described.get(key) ?? this.#inserted.get(key);
  }

  /**
   * Reserves the external key and the usernames of a record for its row. If another row has reserved one of them,
   * returns the errors and reserves none.
   *
   * @param inserts True if the record creates a principal.
   */
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
