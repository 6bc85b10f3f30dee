import type { ImportRow, RecordRow, UserRow } from '../file/rows.ts';
import type { RowUnit } from '../file/types.ts';
import { copyOf, keysOf, noAliases, type PrincipalAliases } from './principal-aliases.ts';
import {
  type ExistingPolicy,
  findRefused,
  foldUsername,
  isInserted,
  isPlausible,
  isReliable,
  isReset,
  type PrincipalRow,
  principalOf,
  usersOf,
} from './records.ts';
import { codedError, columnOf, contradictionError, type RowError, type RowErrors } from './row-errors.ts';

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
 * Maximum number of principals, and of usernames, that are remembered. With the policy `refuse` the service finds a
 * conflict of further ones, because it compares with what is stored (`DIFFERS_FROM_STORED`, `USERNAME_TAKEN`). With
 * `update` the last row would win: the limit is near that of a `Map`.
 */
const rememberedMax: Readonly<Record<ExistingPolicy, number>> = { refuse: 100_000, update: 15_000_000 };

/**
 * Compares the rows of a file with each other. The result depends on the content of the file and on the aliases, and not
 * on which rows the service applies, so that a run that is resumed and passes all rows again refuses the same ones.
 *
 * - A row with the username of an earlier row has an error, also if the earlier one fails: rows are not applied in the
 *   order of the file, so that the service could refuse the first row instead.
 * - A row that contradicts an earlier row about its principal has an error with both values. A row with a value that the
 *   service will refuse is not such an earlier row. Which of them is right,
 *   only the owner of the file knows.
 */
export class RowComparer {
  readonly #max: number;
  readonly #isStrict: boolean;
  readonly #unit: RowUnit;
  /** What rows have stated of each principal, as JSON, which takes a fraction of the memory of objects. */
  readonly #principals = new Map<string, string>();
  readonly #usernames = new Set<string>();

  constructor(existing: ExistingPolicy, { isStrict = false, unit = 'line' }: CompareOptions = {}) {
    this.#max = rememberedMax[existing];
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
    const stated = principal ? this.#valuesToCompare(principal) : noFields;
    const usernames = usernamesOf(row);
    const errors: RowError[] = [];
    const keys = principal ? keysOf(principal.key, aliases) : noFields;
    const known = keys.map((key) => this.#statementsOf(key));
    if (principal)
      for (const field of stated) {
        const value = textOf(principal.fields[field]);
        const [earlier, line] = known.find((statements) => statements.has(field))?.get(field) ?? [value, 0];
        if (earlier !== value)
          errors.push(contradictionError(columnOf(field, row), { value, earlier, line, unit: this.#unit }));
      }
    for (const [at, name] of usernames.entries())
      if (name !== '' && this.#usernames.has(name))
        errors.push(codedError('DUPLICATE_USERNAME', columnOf(`Users[${at}].Username`, row)));
    // A refused row states nothing: a later row that repeats its values is compared with the earlier ones too.
    if (errors.length > 0) return errors;
    if (principal && (this.#isStrict || isReliable(principal)))
      for (const [index, key] of keys.entries())
        this.#addStatements(key, known[index] ?? noStatements, stated, principal);
    if (this.#usernames.size < this.#max)
      for (const name of usernames) if (name !== '') this.#usernames.add(copyOf(name));
    return noErrors;
  }

  /** With `isStrict`, rows with values of the principal that the service will refuse go last, so that they contradict the others, and not the reverse. */
  inOrder(rows: readonly ImportRow[]): readonly ImportRow[] {
    if (!this.#isStrict) return rows;
    const isRefused = (row: ImportRow) => {
      const principal = row.kind === 'invalid' ? null : principalOf(row);
      return (
        principal !== null &&
        !Object.entries(principal.fields).every(([field, value]) => isPlausible(field, value))
      );
    };
    return [...rows.filter((row) => !isRefused(row)), ...rows.filter(isRefused)];
  }

  #statementsOf(key: string): Statements {
    const statements = this.#principals.get(key);
    return statements === undefined ? noStatements : new Map(JSON.parse(statements));
  }

  #addStatements(
    key: string,
    known: Statements,
    stated: readonly string[],
    { fields, row }: PrincipalRow,
  ): void {
    const added = stated.filter((field) => !known.has(field));
    if (added.length === 0 || (this.#principals.size >= this.#max && !this.#principals.has(key))) return;
    const more = added.map((field) => [field, [textOf(fields[field]), row.line]]);
    this.#principals.set(copyOf(key), JSON.stringify([...known, ...more]));
  }

  #valuesToCompare(principal: PrincipalRow): readonly string[] {
    const { fields } = principal;
    const names = Object.keys(fields);
    // The values of a principal without a key are sent together once.
    return this.#isStrict || isInserted(principal)
      ? names
      : names.filter((field) => isPlausible(field, fields[field]));
  }
}

/** Returns the errors of rows that cannot register users, or that contradict each other or earlier ones. */
export function compareRows(
  rows: readonly ImportRow[],
  comparer: RowComparer,
  aliases: PrincipalAliases,
): RowErrors {
  const errors = findRefused(rows);
  for (const row of comparer.inOrder(rows)) {
    const found = errors.has(row.number) ? noErrors : comparer.compare(row, aliases);
    if (found.length > 0) errors.set(row.number, found);
  }
  return errors;
}

const noErrors: readonly RowError[] = [];
const noFields: readonly string[] = [];

/** The values that rows have stated of a principal by field, each with the line of its first row. */
type Statements = ReadonlyMap<string, readonly [value: string, line: number]>;

const noStatements: Statements = new Map();

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.normalize('NFC') : JSON.stringify(value);
}

/** Returns the usernames of the users of a row, by their index; an empty text for a user without one. */
function usernamesOf(row: UserRow | RecordRow): string[] {
  const users = row.kind === 'user' ? [row.user] : usersOf(row.record);
  return users.map(({ Username }) => (typeof Username === 'string' ? foldUsername(Username) : ''));
}
