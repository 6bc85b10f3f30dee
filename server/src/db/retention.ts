import type { Database } from './database.ts';
import { type ParameterValues, statement } from './statement.ts';

/** Maximum number of rows per statement, so that each statement is short. */
export const expiredAtOnce = 2000;
/** Retention runs every hour. Rows that have expired for longer than this are overdue. */
const overdueHours = 3;
/** Overdue rows of a kind are counted up to this number. */
const countedAtMost = 10_000;

/** Retention periods in days: the parameters of the rules, such as `:jobDays`. */
interface RetentionPeriods {
  /** Counted from the end of a call or job. */
  readonly jobDays: number;
  readonly deliveryDays: number;
  /** Zero keeps the audit log forever. */
  readonly auditDays: number;
  readonly historyDays: number;
  readonly eventDays: number;
}

/** Removes one kind of expired rows. */
export interface RetentionRule {
  readonly kind: string;
  /** FROM and WHERE clauses of the expired rows. */
  readonly expired: string;
  /** Yields the number of removed rows after each statement. */
  remove(database: Database, values: ParameterValues): AsyncIterable<number>;
}

/** SQL for a time in the past. `:hours` is zero to remove rows, and `overdueHours` to count overdue ones. */
export function ago(days: string | number): string {
  return `now() - make_interval(days => ${days}, hours => :hours::integer)`;
}

/** A rule that changes the rows of a table that meet a condition, by default by deleting them. */
export function tableRule(options: {
  readonly table: string;
  readonly condition: string;
  /** By default the name of the table. */
  readonly kind?: string;
  /** An UPDATE without its WHERE clause. */
  readonly change?: string;
}): RetentionRule {
  const { table, condition, kind = table, change = `delete from anagrafe.${table}` } = options;
  const expired = `anagrafe.${table} where ${condition}`;
  const changeSome = statement(
    `${change} where ctid = any(array(select ctid from ${expired} limit ${expiredAtOnce})) returning 1`,
  );
  return {
    kind,
    expired,
    remove: (database, values) => repeatWhileFull(() => database.execute(changeSome, values)),
  };
}

/** Repeats a statement until it changes fewer than `expiredAtOnce` rows. */
export async function* repeatWhileFull(
  changeSome: () => Promise<readonly unknown[]>,
): AsyncGenerator<number> {
  for (let length = expiredAtOnce; length >= expiredAtOnce; ) {
    ({ length } = await changeSome());
    yield length;
  }
}

/** Removes and counts the rows whose retention has ended, rule by rule. */
export class Retention {
  readonly #rules: readonly RetentionRule[];
  readonly #periods: RetentionPeriods;

  constructor(rules: readonly RetentionRule[], periods: RetentionPeriods) {
    this.#rules = rules;
    this.#periods = periods;
  }

  /**
   * Removes the expired rows until the signal is aborted. A rule that fails does not keep the others from being applied.
   * Returns the number of removed rows of each kind that had any.
   */
  async removeExpired(
    database: Database,
    options: { readonly signal: AbortSignal; onError(error: unknown, kind: string): void },
  ): Promise<Record<string, number>> {
    const values = { ...this.#periods, hours: 0 };
    const removed: Record<string, number> = {};
    for (const rule of this.#rules) {
      try {
        for await (const count of rule.remove(database, values)) {
          if (count > 0) removed[rule.kind] = (removed[rule.kind] ?? 0) + count;
          if (options.signal.aborted) return removed;
        }
      } catch (error) {
        options.onError(error, rule.kind);
      }
    }
    return removed;
  }

  /** Returns the number of overdue rows of each kind, up to `countedAtMost`. */
  async countOverdue(database: Database): Promise<Record<string, number>> {
    const counts = this.#rules.map(
      ({ kind, expired }) =>
        `(select count(*) from (select from ${expired} limit ${countedAtMost}) as overdue) as ${kind}`,
    );
    const [row] = await database.execute<Record<string, number>>(statement(`select ${counts.join(', ')}`), {
      ...this.#periods,
      hours: overdueHours,
    });
    return row ?? {};
  }
}
