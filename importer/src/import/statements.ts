import type { ImportRow, RecordRow, UserRow } from '../file/rows.ts';
import { type ExistingPolicy, foldUsername, isPlausible, isReset, principalOf, usersOf } from './records.ts';
import { codedError, columnOf, contradictionError, type RowError } from './row-errors.ts';

interface Statement {
  readonly value: string;
  readonly line: number;
}

interface CompareOptions {
  /**
   * Also compares values that the service will refuse. Without this option a row with such a value must be a record of
   * its own.
   */
  readonly isStrict?: boolean;
}

/**
 * Number of principals and usernames that are remembered with the policy `refuse`, which bounds the memory. The service
 * finds a conflict of further ones, because it compares with what is stored (`DIFFERS_FROM_STORED`, `USERNAME_TAKEN`).
 */
const principalsMax = 200_000;
const usernamesMax = 1_000_000;

/**
 * Compares the rows of a file with each other. The result depends on the content of the file alone, and not on what the
 * service applies, so that a run that is resumed refuses the same rows.
 *
 * - A row with the username of an earlier row has an error, also if the earlier one fails: rows are not applied in the
 *   order of the file, so that the service could refuse the first row instead.
 * - A row that contradicts an earlier row about its principal has an error with both values. Which of them is right,
 *   only the owner of the file knows.
 */
export class RowComparer {
  readonly #isBounded: boolean;
  readonly #isStrict: boolean;
  readonly #principals = new Map<string, Map<string, Statement>>();
  readonly #usernames = new Set<string>();

  constructor(existing: ExistingPolicy, { isStrict = false }: CompareOptions = {}) {
    this.#isBounded = existing === 'refuse';
    this.#isStrict = isStrict;
  }

  /** Returns the errors of a row. Call it once for each row, in the order of the file. */
  compare(row: ImportRow): readonly RowError[] {
    // A password reset states nothing of its principal.
    if (row.kind === 'invalid' || (row.kind === 'user' && isReset(row))) return [];
    const principal = principalOf(row);
    const known = principal ? this.#principals.get(principal.key) : undefined;
    const stated = Object.entries(principal?.fields ?? {})
      .filter((entry) => this.#isStrict || isPlausible(entry))
      .map(([field, value]) => [field, textOf(value)] as const);
    const usernames = usernamesOf(row);
    const errors = [
      ...stated.flatMap(([field, value]) => {
        const earlier = known?.get(field);
        if (!earlier || earlier.value === value) return [];
        return [
          contradictionError(columnOf(field, row), { value, earlier: earlier.value, line: earlier.line }),
        ];
      }),
      ...usernames.flatMap((name, at) =>
        this.#usernames.has(name)
          ? [codedError('USERNAME_TAKEN', columnOf(`Users[${at}].Username`, row))]
          : [],
      ),
    ];
    // A refused row states nothing: a later row that repeats its values is compared with the earlier ones too.
    if (errors.length > 0) return errors;
    if (principal && stated.length > 0) this.#remember(principal.key, stated, row.line);
    if (!this.#isBounded || this.#usernames.size < usernamesMax)
      for (const name of usernames) if (name !== '') this.#usernames.add(copyOf(name));
    return errors;
  }

  #remember(key: string, stated: readonly (readonly [string, string])[], line: number): void {
    const known = this.#principals.get(key);
    if (!known && this.#isBounded && this.#principals.size >= principalsMax) return;
    const statements = known ?? new Map<string, Statement>();
    for (const [field, value] of stated) {
      if (!statements.has(field)) statements.set(field, { value: copyOf(value), line });
    }
    if (!known) this.#principals.set(copyOf(key), statements);
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the usernames of the users of a row, by their index; an empty text for a user without one. */
function usernamesOf(row: UserRow | RecordRow): string[] {
  const users = row.kind === 'user' ? [row.user] : usersOf(row.record);
  return users.map(({ Username }) => (typeof Username === 'string' ? foldUsername(Username) : ''));
}

/** Copies a text, which as a part of the file's text would keep all of that in memory. */
function copyOf(text: string): string {
  return ` ${text}`.slice(1);
}
