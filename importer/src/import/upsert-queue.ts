import type { FieldError } from '@anagrafe/client';
import {
  type CombinedRecord,
  type ExistingPolicy,
  isPlausible,
  type PrincipalRow,
  type RowPaths,
  referenceOf,
  statesValues,
} from './records.ts';
import type { FieldErrorsByPath, RowErrors } from './row-errors.ts';
import { errorsByRow, groupOf, type RowGroup } from './row-group.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Maximum number of users in a record that combines rows, and of the characters of their values: a record that the
 * service refuses as too large, such as one of several megabytes, would fail for all of its rows.
 */
const usersPerRecord = 500;
const charactersPerRecord = 250_000;

/** Number of rounds after which a record that always has the same principal as another one fails. */
const postponementsMax = 1000;

interface QueueOptions {
  readonly existing: ExistingPolicy;
  /** Nothing is stored between two calls: the values of a new principal are sent with each of its records. */
  readonly isDryRun?: boolean;
  /** The values that earlier batches of a dry run have stated of a principal that does not exist yet. */
  readonly valuesOf?: (key: string) => Values | undefined;
  /** The usernames that an earlier row has too. */
  readonly repeated?: () => RowPaths;
}

/**
 * Turns rows into records of `irs/upsert`, each of which creates or compares a principal and registers its users,
 * completely or not at all, so that a refused row leaves no principal without users behind.
 *
 * A row must be able to fail alone, and a call may contain a principal only once. One call for each row would be slow,
 * so the rows of a principal are combined into one record. If that is refused, its field errors name the rows that
 * caused them (`Users[3]…` by the index, `Denomination` by the rows that state it); these rows fail, and the others are
 * combined again in the next round. The service checks all rows before it hashes a password, and reports all errors of
 * a record at once, so that a file with errors usually takes two rounds and hashes no password twice.
 *
 * A row with a value that the service will refuse is a record of its own, after the others of the call, so that its
 * value is not replaced by that of another row. It then has its own errors and that of a principal that occurs twice.
 *
 * Once a record of a principal was applied, further rows that state nothing else only refer to the principal: they are
 * sent as records of `irs/update`, one for each row, all in one round. With the policy `update` this is not possible,
 * because the users may exist.
 */
export class UpsertQueue {
  readonly #options: QueueOptions;
  readonly #pending = new Map<string, PrincipalRow[]>();
  /** The values that the service has accepted, by principal. */
  readonly #accepted = new Map<string, Values>();
  /** How often a record was postponed, by the number of its first row. */
  readonly #postponed = new Map<number, number>();

  constructor(rows: readonly PrincipalRow[], options: QueueOptions) {
    this.#options = options;
    for (const row of rows) {
      const present = this.#pending.get(row.key);
      if (present) present.push(row);
      else this.#pending.set(row.key, [row]);
    }
  }

  /** Removes the next group of each principal, in the order of the rows, and the rows that only refer to one. */
  take(): { readonly groups: readonly RowGroup[]; readonly references: readonly CombinedRecord[] } {
    const groups: RowGroup[] = [];
    const doubtful: RowGroup[] = [];
    const references: PrincipalRow[] = [];
    for (const [key, rows] of this.#pending) {
      const isNamedOnly = !this.#accepted.has(key) && !rows.some(statesValues);
      const { referring, members, waiting, alone } = this.#divide(key, rows, isNamedOnly);
      for (const row of referring) references.push(row);
      if (members.length > 0) groups.push(this.#combine(key, members));
      for (const row of alone) doubtful.push(this.#combine(key, [row]));
      if (waiting.length > 0) this.#pending.set(key, waiting);
      else this.#pending.delete(key);
    }
    return { groups: [...groups, ...doubtful], references: references.map(referenceOf) };
  }

  /**
   * Returns two groups in place of one because of which the service refuses the whole call, such as one with an invalid
   * character in one row. The second one waits in the queue.
   */
  firstHalf({ key, members }: RowGroup): RowGroup {
    const half = Math.ceil(members.length / 2);
    this.#addToFront(key, members.slice(half));
    return this.#combine(key, members.slice(0, half));
  }

  accept({ key, members }: RowGroup): void {
    const before = this.#accepted.get(key);
    const [first, second] = members;
    const isSingle = !before && first && !second;
    this.#accepted.set(
      key,
      isSingle ? first.fields : Object.assign({}, before, ...members.map(({ fields }) => fields)),
    );
  }

  /** Puts the rows of a group that was not applied back into the queue. */
  putBack({ key, members }: RowGroup): void {
    this.#addToFront(key, members);
  }

  /** Returns the errors of the rows that failed. The other rows of the group are sent again. */
  refuse(group: RowGroup, fieldErrors: FieldErrorsByPath, message: string | null = null): RowErrors {
    // Another record of the call has the same principal and goes first, unless this one is refused anyway.
    const others = Object.entries(fieldErrors).filter(([, found]) => !found.some(isDuplicatePrincipal));
    const isPostponed = others.length === 0 && Object.keys(fieldErrors).length > 0 && this.#postpone(group);
    const errors: RowErrors = isPostponed
      ? new Map()
      : errorsByRow(
          group,
          others.length > 0 ? Object.fromEntries(others) : fieldErrors,
          message,
          this.#options.repeated?.(),
        );
    const left = group.members.filter(({ row }) => !errors.has(row.number));
    this.#addToFront(group.key, left);
    return errors;
  }

  /** Returns false for a row that was postponed too often. */
  #postpone({ members }: RowGroup): boolean {
    const number = members[0]?.row.number ?? 0;
    const times = (this.#postponed.get(number) ?? 0) + 1;
    this.#postponed.set(number, times);
    return times <= postponementsMax;
  }

  #addToFront(key: string, rows: readonly PrincipalRow[]): void {
    if (rows.length === 0) return;
    this.#pending.set(key, [...rows, ...(this.#pending.get(key) ?? [])]);
  }

  /** Divides the rows of a principal into those that refer to it, those of the next record, and those of later ones. */
  #divide(key: string, rows: readonly PrincipalRow[], isNamedOnly: boolean) {
    const { existing, isDryRun, valuesOf } = this.#options;
    const accepted = this.#accepted.get(key);
    const mayRefer = existing === 'refuse' && !valuesOf?.(key);
    const referring: PrincipalRow[] = [];
    const members: PrincipalRow[] = [];
    const waiting: PrincipalRow[] = [];
    const alone: PrincipalRow[] = [];
    const fields: Record<string, unknown> = {};
    let [users, characters] = [0, 0];
    for (const row of rows) {
      const isCovered = accepted !== undefined && row.users !== null && agrees(row, accepted, true);
      if (isDoubtful(row)) alone.push(row);
      else if (mayRefer && !row.hasState && (isNamedOnly || (isCovered && !isDryRun))) referring.push(row);
      else {
        const usersAfter = users + (row.users?.length ?? 0);
        const charactersAfter = usersAfter > usersPerRecord ? Infinity : characters + lengthOf(row);
        const fits = members.length === 0 || (charactersAfter <= charactersPerRecord && agrees(row, fields));
        if (!fits) {
          waiting.push(row);
          continue;
        }
        members.push(row);
        Object.assign(fields, row.fields);
        users = usersAfter;
        characters = charactersAfter;
      }
    }
    return { referring, members: members.length === rows.length ? rows : members, waiting, alone };
  }

  #combine(key: string, members: readonly PrincipalRow[]): RowGroup {
    const { isDryRun, valuesOf } = this.#options;
    const accepted = this.#accepted.get(key);
    const group = groupOf(key, members, valuesOf?.(key) ?? (isDryRun ? accepted : undefined));
    return accepted ? { ...group, isReference: false } : group;
  }
}

function lengthOf({ fields, users }: PrincipalRow): number {
  return JSON.stringify([fields, users]).length;
}

function isDoubtful({ fields }: PrincipalRow): boolean {
  return Object.keys(fields).some((field) => !isPlausible(field, fields[field]));
}

function isDuplicatePrincipal({ code }: FieldError): boolean {
  return code === 'DUPLICATE_PRINCIPAL';
}

/**
 * Returns true if the row states no other value than these.
 *
 * @param isCovering True if the row may not state a further field either.
 */
function agrees({ fields }: PrincipalRow, values: Values, isCovering = false): boolean {
  return Object.keys(fields).every((field) =>
    values[field] === undefined ? !isCovering : values[field] === fields[field],
  );
}
