import { digestOf } from '../file/digest.ts';
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

/**
 * Maximum number of principals, and of usernames, that are remembered: the last ones, which are more than a batch has.
 * With the policy `refuse` the service finds a conflict with earlier ones, because it compares with what is stored
 * (`DIFFERS_FROM_STORED`, `USERNAME_TAKEN`). With `update` the last row would win: the limit is near that of a `Map`.
 */
const rememberedMax: Readonly<Record<ExistingPolicy, number>> = { refuse: 100_000, update: 15_000_000 };

/**
 * Compares the rows of a file with each other. The result depends on the content of the file and on the aliases, and not
 * on which rows the service applies, so that a run that is resumed and passes all rows again refuses the same ones.
 *
 * - A row with all values of an earlier row about the same users is a copy, which is left out.
 * - A row with the username of an earlier row has an error, also if the earlier one fails: rows are not applied in the
 *   order of the file, so that the service could refuse the first row instead.
 * - A row that contradicts an earlier row about its principal has an error with both values. Which of them is right,
 *   only the owner of the file knows.
 */
export class RowComparer {
  readonly #max: number;
  readonly #unit: RowUnit;
  readonly #isStrict: boolean;
  /** What rows have stated of each principal, as JSON, which takes a fraction of the memory of objects. */
  readonly #principals = new Map<string, string>();
  /** The digest of the first row of each username. */
  readonly #rows = new Map<string, number>();
  /** The usernames that only rows with errors have. */
  readonly #refused = new Set<string>();

  constructor(existing: ExistingPolicy, { unit = 'line', isStrict = false }: RowComparerOptions = {}) {
    this.#max = rememberedMax[existing];
    this.#unit = unit;
    this.#isStrict = isStrict;
  }

  /**
   * Returns the errors of a row, or `copy`. Call it once for each row.
   *
   * @param aliases Other keys of principals, under which the rows that name them by `ID` are known.
   */
  compare(row: ImportRow, aliases: PrincipalAliases = noAliases): readonly RowError[] | 'copy' {
    // A password reset states nothing of its principal.
    if (row.kind === 'invalid' || isReset(row)) return noErrors;
    const usernames = usernamesOf(row);
    const named = usernames.filter((name) => name !== '');
    const digest = digestOf(JSON.stringify(row.kind === 'user' ? [row.principal, row.user] : row.record));
    if (named.length > 0 && named.every((name) => this.#rows.get(name) === digest)) return 'copy';
    const principal = principalOf(row);
    const errors: RowError[] = principal ? this.#contradictions(principal, aliases) : [];
    for (const [at, name] of usernames.entries())
      if (this.#rows.has(name) && !this.#refused.has(name))
        errors.push(codedError('DUPLICATE_USERNAME', columnOf(`Users[${at}].Username`, row)));
    for (const name of named) this.#remember(name, digest, errors.length > 0);
    // A refused row states nothing: a later row that repeats its values is compared with the earlier ones too.
    if (principal && errors.length === 0 && (this.#isStrict || isReliable(principal)))
      for (const key of keysOf(principal.key, aliases)) this.#addStatements(key, principal);
    return errors;
  }

  /** With `isStrict`, rows with values that the service will refuse go last: they contradict the others, and not the reverse. */
  inOrder(rows: readonly ImportRow[]): readonly ImportRow[] {
    if (!this.#isStrict) return rows;
    const isRefused = (row: ImportRow) =>
      Object.entries((row.kind !== 'invalid' && principalOf(row)?.fields) || {}).some(
        ([field, value]) => !isPlausible(field, value),
      );
    return [...rows.filter((row) => !isRefused(row)), ...rows.filter(isRefused)];
  }

  #contradictions(principal: PrincipalRow, aliases: PrincipalAliases): RowError[] {
    const { key, fields, row } = principal;
    // The values of a principal without a key are sent together once.
    const comparesAll = this.#isStrict || isInserted(principal);
    const known = keysOf(key, aliases).map((name) => this.#statementsOf(name));
    return Object.keys(fields).flatMap((field) => {
      if (!comparesAll && !isPlausible(field, fields[field])) return [];
      const value = textOf(fields[field]);
      const [earlier, line] = known.find((statements) => statements.has(field))?.get(field) ?? [value, 0];
      if (earlier === value) return [];
      return [contradictionError(columnOf(field, row), { value, earlier, line, unit: this.#unit })];
    });
  }

  #remember(name: string, digest: number, isRefused: boolean): void {
    const isFirst = !this.#rows.has(name);
    if (isRefused && !isFirst) return;
    if (isRefused) this.#refused.add(copyOf(name));
    else this.#refused.delete(name);
    keep(this.#rows, name, digest, this.#max);
  }

  #statementsOf(key: string): Statements {
    const statements = this.#principals.get(key);
    return statements === undefined ? noStatements : new Map(JSON.parse(statements));
  }

  #addStatements(key: string, { fields, row }: PrincipalRow): void {
    const known = this.#statementsOf(key);
    const added = Object.keys(fields).filter((field) => !known.has(field));
    if (added.length === 0) return;
    const more = added.map((field) => [field, [textOf(fields[field]), row.line]]);
    keep(this.#principals, key, JSON.stringify([...known, ...more]), this.#max);
  }
}

/** Adds an entry to a map, and removes the oldest one of more than `max`. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.set(copyOf(key), value);
  const [oldest] = map.size > max ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}

interface RowComparerOptions {
  /** The unit of `line` of the rows. Default: `line`. */
  readonly unit?: RowUnit;
  /**
   * Also compares values that the service will refuse, because all rows of a principal are sent as one record. Otherwise
   * a row with such a value fails alone, and states nothing.
   */
  readonly isStrict?: boolean;
}

/** What a comparison says about rows, by row number. */
export interface RowComparison {
  /** The errors of rows that cannot register users, or that contradict each other or earlier ones. */
  readonly errors: RowErrors;
  /** The rows that are exact copies of earlier ones. */
  readonly copies: ReadonlySet<number>;
}

export function compareRows(
  rows: readonly ImportRow[],
  comparer: RowComparer,
  aliases: PrincipalAliases,
): RowComparison {
  const errors = findRefused(rows);
  const copies = new Set<number>();
  for (const row of comparer.inOrder(rows)) {
    const found = errors.has(row.number) ? noErrors : comparer.compare(row, aliases);
    if (found === 'copy') copies.add(row.number);
    else if (found.length > 0) errors.set(row.number, found);
  }
  return { errors, copies };
}

const noErrors: readonly RowError[] = [];

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
