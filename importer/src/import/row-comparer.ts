import type { ImportRow, RecordRow, UserRow } from '../file/rows.ts';
import type { RowUnit } from '../file/types.ts';
import { keysOf, noAliases, type PrincipalAliases } from './principal-aliases.ts';
import {
  type ExistingPolicy,
  foldUsername,
  isPlausible,
  isReset,
  type PrincipalRow,
  principalOf,
  usersOf,
} from './records.ts';
import { codedError, columnOf, contradictionError, type RowError } from './row-errors.ts';
import { IntegerList, TextStore, TextTable } from './text-table.ts';

interface CompareOptions {
  /**
   * Also compares values that the service will refuse. Without this option a row with such a value must be a record of
   * its own.
   */
  readonly isStrict?: boolean;
  /** The unit of `line` of the rows. Default: `line`. */
  readonly unit?: RowUnit;
}

/**
 * Memory in bytes for what is remembered with the policy `refuse`: about 250,000 principals with a name, and a million
 * usernames. The service finds a conflict of further ones, because it compares with what is stored
 * (`DIFFERS_FROM_STORED`, `USERNAME_TAKEN`).
 */
const principalsMemory = 16 * 2 ** 20;
const usernamesMemory = 30 * 2 ** 20;

/**
 * Compares the rows of a file with each other. The result depends on the content of the file and on the aliases, and not
 * on which rows the service applies, so that a run that is resumed and passes all rows again refuses the same ones.
 *
 * - A row with the username of an earlier row has an error, also if the earlier one fails: rows are not applied in the
 *   order of the file, so that the service could refuse the first row instead.
 * - A row that contradicts an earlier row about its principal has an error with both values. Which of them is right,
 *   only the owner of the file knows.
 */
export class RowComparer {
  readonly #isBounded: boolean;
  readonly #isStrict: boolean;
  readonly #unit: RowUnit;
  readonly #principals = new StatedValues();
  readonly #usernames = new TextTable(new TextStore());

  constructor(existing: ExistingPolicy, { isStrict = false, unit = 'line' }: CompareOptions = {}) {
    this.#isBounded = existing === 'refuse';
    this.#isStrict = isStrict;
    this.#unit = unit;
  }

  /**
   * Returns the errors of a row. Call it once for each row, in the order of the file.
   *
   * @param aliases Other keys of principals, under which the rows that name them by `ID` are known.
   */
  compare(row: ImportRow, aliases: PrincipalAliases = noAliases): readonly RowError[] {
    // A password reset states nothing of its principal.
    if (row.kind === 'invalid' || isReset(row)) return noErrors;
    const principal = principalOf(row);
    const stated = principal ? this.#valuesToCompare(principal.fields) : noFields;
    const usernames = usernamesOf(row);
    const errors: RowError[] = [];
    const keys = principal ? keysOf(principal.key, aliases) : noFields;
    const known = keys.map((key) => this.#principals.of(key));
    if (principal)
      for (const field of stated) {
        const value = textOf(principal.fields[field]);
        const earlier = known.find((values) => values?.has(field))?.get(field);
        if (earlier && earlier.value !== value)
          errors.push(
            contradictionError(columnOf(field, row), {
              value,
              earlier: earlier.value,
              line: earlier.line,
              unit: this.#unit,
            }),
          );
      }
    for (const [at, name] of usernames.entries())
      if (name !== '' && this.#usernames.numberOf(name) >= 0)
        errors.push(codedError('DUPLICATE_USERNAME', columnOf(`Users[${at}].Username`, row)));
    // A refused row states nothing: a later row that repeats its values is compared with the earlier ones too.
    if (errors.length > 0) return errors;
    if (principal && !(this.#isBounded && this.#principals.bytes >= principalsMemory))
      for (const [index, key] of keys.entries())
        for (const field of stated)
          if (!known[index]?.has(field))
            this.#principals.add(key, field, textOf(principal.fields[field]), row.line);
    if (!(this.#isBounded && this.#usernames.bytes >= usernamesMemory))
      for (const name of usernames) if (name !== '') this.#usernames.add(name);
    return noErrors;
  }

  #valuesToCompare(fields: PrincipalRow['fields']): readonly string[] {
    const names = Object.keys(fields);
    return this.#isStrict ? names : names.filter((field) => isPlausible(field, fields[field]));
  }
}

const noErrors: readonly RowError[] = [];
const noFields: readonly string[] = [];

interface Statement {
  readonly value: string;
  readonly line: number;
}

/** The values that rows have stated of principals, with the lines of these rows. */
class StatedValues {
  readonly #texts = new TextStore();
  readonly #keys = new TextTable(this.#texts);
  readonly #fieldNames: string[] = [];
  readonly #fieldNumbers = new Map<string, number>();
  /** The index of the last statement of each principal, by the number of its key. */
  readonly #lastOf = new IntegerList();
  /** Four integers for each statement: the index of the one before it, its field, address of its value, and line. */
  readonly #statements = new IntegerList();

  /** Size of the memory in bytes. */
  get bytes(): number {
    return this.#keys.bytes + 4 * (this.#lastOf.length + this.#statements.length);
  }

  /** Returns the values of a principal by field; null if no row has stated any. */
  of(key: string): ReadonlyMap<string, Statement> | null {
    const number = this.#keys.numberOf(key);
    if (number < 0) return null;
    const statements = new Map<string, Statement>();
    for (let at = this.#lastOf.get(number); at !== none; at = this.#statements.get(at))
      statements.set(this.#fieldNames[this.#statements.get(at + 1)] ?? '', {
        value: this.#texts.textAt(this.#statements.get(at + 2)),
        line: this.#statements.get(at + 3),
      });
    return statements;
  }

  /** Adds a value that the principal does not have yet. */
  add(key: string, field: string, value: string, line: number): void {
    const number = this.#keys.add(key);
    if (number === this.#lastOf.length) this.#lastOf.push(none);
    const at = this.#statements.length;
    this.#statements.push(this.#lastOf.get(number));
    this.#statements.push(this.#numberOf(field));
    this.#statements.push(this.#texts.add(value));
    this.#statements.push(line);
    this.#lastOf.set(number, at);
  }

  #numberOf(field: string): number {
    const known = this.#fieldNumbers.get(field);
    if (known !== undefined) return known;
    this.#fieldNumbers.set(field, this.#fieldNames.length);
    return this.#fieldNames.push(field) - 1;
  }
}

/** The index of the statement before the first one. */
const none = 2 ** 32 - 1;

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the usernames of the users of a row, by their index; an empty text for a user without one. */
function usernamesOf(row: UserRow | RecordRow): string[] {
  const users = row.kind === 'user' ? [row.user] : usersOf(row.record);
  return users.map(({ Username }) => (typeof Username === 'string' ? foldUsername(Username) : ''));
}
