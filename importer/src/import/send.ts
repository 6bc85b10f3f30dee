import type { FieldError, UpsertTuple } from '@anagrafe/client';
import type { ImportRow } from '../file/rows.ts';
import {
  dryRunUpsert,
  type ImportConnection,
  type ImportOperation,
  isCancelled,
  sendInParts,
  wouldCreate,
} from './calls.ts';
import { divide } from './divide-rows.ts';
import { groupBy } from './group-by.ts';
import { isLookAlike, splitLookAlikes } from './look-alikes.ts';
import {
  type CombinedRecord,
  isInserted,
  isReset,
  type PrincipalRow,
  principalRows,
  statesValues,
  type WriteRules,
} from './records.ts';
import { codedError, type FieldErrorsByPath, type RowError, type RowErrors, rowError } from './row-errors.ts';
import { errorsByRow, groupOf, type RowGroup } from './row-group.ts';

/** Records that are sent in one call. */
export interface Call {
  readonly operation: ImportOperation;
  readonly records: readonly CombinedRecord[];
  /** Unique within an import, and the same whenever the same rows are sent again. */
  readonly name: string;
  /** Aborted when another call of the rows has failed. */
  readonly signal: AbortSignal;
}

/** The answer to a record. The principal and the effect are known only in a dry run of `irs/upsert`. */
export type Answer = Pick<UpsertTuple, 'Item3' | 'Item4' | 'Item5'> &
  Partial<Pick<UpsertTuple, 'Item1' | 'Item6'>>;

type Values = Readonly<Record<string, unknown>>;

export interface SendOptions extends ImportConnection {
  readonly rules: WriteRules;
  /** Sends a call and returns the answer to each of its records. */
  readonly send: (call: Call) => Promise<readonly Answer[]>;
  /** Called with each record that was applied, or would be. */
  readonly onApplied?: (record: RowGroup, answer: Answer) => void;
  /** Nothing is stored: the values of a new principal are sent with each of its records. */
  readonly isDryRun?: boolean;
  /** The values that earlier batches of a dry run have stated of a principal that does not exist yet. */
  readonly valuesOf?: (key: string) => Values | undefined;
  /** Sends the records of cancelled jobs again. Otherwise their rows have an error. */
  readonly resendsCancelled?: boolean;
}

/**
 * Sends rows in rounds, each with at most one call per operation, and returns the errors of the rows that were not
 * applied.
 *
 * A row must be able to fail alone, and a call of `irs/upsert` may contain a principal only once. One call for each row
 * would be slow, so the rows of a principal are combined into one record, which is applied completely or not at all. If
 * it is refused, its field errors name the rows that caused them (`Users[3]…` by the index, `Denomination` by the rows
 * that state it); these rows fail, and the others are combined again in the next round. The service checks all rows
 * before it hashes a password, and reports all errors of a record at once, so that a file with errors usually takes two
 * rounds and hashes no password twice.
 *
 * The records of a round follow from the rows and from the answers before it, so that they are the same if an
 * interrupted import is resumed.
 */
export function sendRows(rows: readonly ImportRow[], options: SendOptions): Promise<RowErrors> {
  return new RowSender(rows, options).send();
}

/** Number of rounds after which a record that always has the same principal as another one fails. */
const postponementsMax = 1000;

class RowSender {
  readonly #options: SendOptions;
  readonly #errors: RowErrors;
  /** The rows to send by principal. */
  readonly #pending: Map<string, PrincipalRow[]>;
  /** The values that the service has accepted, by principal. */
  readonly #accepted = new Map<string, Values>();
  /** How often a record was postponed, by the number of its first row. */
  readonly #postponed = new Map<number, number>();
  /** The principals that may look like others. */
  readonly #allowed = new Set<string>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;

  constructor(rows: readonly ImportRow[], options: SendOptions) {
    const { errors, ofPrincipals } = principalRows(rows);
    this.#options = options;
    this.#errors = errors;
    this.#pending = groupBy(ofPrincipals, ({ key }) => key);
    for (const { similar, key } of ofPrincipals) if (similar === 'allow') this.#allowed.add(key);
    this.#signal = AbortSignal.any([this.#stop.signal, ...(options.signal ? [options.signal] : [])]);
  }

  async send(): Promise<RowErrors> {
    for (let round = 1; this.#pending.size > 0; round++) {
      const groups = this.#take();
      const calls = operations.map((operation) => {
        const records = groups.filter((group) => group.operation === operation);
        return this.#sendCall(operation, records, round);
      });
      // All calls end before an error is thrown, so that none is still running then.
      await Promise.allSettled(calls);
      await Promise.all(calls);
    }
    return this.#errors;
  }

  /** Removes the next records of each principal, in the order of the rows. */
  #take(): RowGroup[] {
    const groups: RowGroup[] = [];
    for (const [key, rows] of this.#pending) {
      const operation = this.#operationOf(key, rows);
      const next = divide(rows, operation);
      if (next.members.length > 0) groups.push(this.#combine(key, next.members, operation));
      if (next.waiting.length > 0) this.#pending.set(key, [...next.waiting]);
      else this.#pending.delete(key);
    }
    return groups;
  }

  /** With `irs/update`, which is not for new principals, a record may have users alone, and the service finds a misspelt key. */
  #operationOf(key: string, rows: readonly PrincipalRow[]): ImportOperation {
    const { rules, valuesOf } = this.#options;
    const [first] = rows;
    if (first && isInserted(first)) return 'insert';
    if (first && isReset(first.row)) return 'update';
    const isDescribed = this.#accepted.has(key) || valuesOf?.(key) !== undefined || rows.some(statesValues);
    return rules.existing === 'update' || isDescribed || rows.every(({ hasState }) => hasState)
      ? 'upsert'
      : 'update';
  }

  #combine(key: string, members: readonly PrincipalRow[], operation: ImportOperation): RowGroup {
    const { isDryRun, valuesOf } = this.#options;
    const accepted = this.#accepted.get(key);
    const before =
      operation === 'upsert' ? (valuesOf?.(key) ?? (isDryRun ? accepted : undefined)) : undefined;
    const allowsSimilar = this.#allowed.has(key);
    const group = groupOf(key, members, { operation, before, allowsSimilar });
    return accepted || operation !== 'upsert' ? { ...group, isReference: false } : group;
  }

  async #sendCall(operation: ImportOperation, groups: readonly RowGroup[], round: number): Promise<void> {
    try {
      const { isDryRun, send } = this.#options;
      const known = isDryRun ? groups : await this.#withoutMissingPrincipals(groups);
      const signal = this.#signal;
      const parts = await sendInParts(known, (part) =>
        send({ operation, records: part, name: nameOf(operation, part, round), signal }),
      );
      for (const { items, answer, rejection } of parts)
        if (answer) for (const [index, group] of items.entries()) this.#finish(group, answer[index]);
        else if (items[0].members.length > 1 && operation !== 'insert')
          await this.#sendCall(operation, [this.#firstHalf(items[0])], round);
        else this.#fail(items[0], [rowError(rejection)]);
    } catch (error) {
      this.#stop.abort(error);
      throw error;
    }
  }

  /**
   * Returns two records in place of one because of which the service refuses the whole call, such as one with an invalid
   * character in one row. The second one waits.
   */
  #firstHalf({ key, members, operation }: RowGroup): RowGroup {
    const half = Math.ceil(members.length / 2);
    this.#putBack(key, members.slice(half));
    return this.#combine(key, members.slice(0, half), operation);
  }

  /** A record that only refers to a principal by its key would create a missing one, which hides a misspelt key. */
  async #withoutMissingPrincipals(groups: readonly RowGroup[]): Promise<readonly RowGroup[]> {
    const references = groups.filter(({ isReference }) => isReference);
    const parts = await sendInParts(references, (part) =>
      dryRunUpsert(part, this.#options.rules, this.#options),
    );
    const missing = parts.flatMap(({ items, answer }) =>
      items.filter((_, index) => wouldCreate(answer?.tuples[index]?.Item6)),
    );
    for (const group of missing) this.#fail(group, [principalNotFound]);
    return groups.filter((group) => !missing.includes(group));
  }

  #finish(group: RowGroup, answer: Answer = unanswered): void {
    const { onApplied, resendsCancelled } = this.#options;
    const { Item3, Item4, Item5, Item6 } = answer;
    if (Item3 && group.isReference && wouldCreate(Item6)) this.#fail(group, [principalNotFound]);
    else if (Item3) {
      this.#accept(group);
      onApplied?.(group, answer);
    } else if (resendsCancelled && isCancelled(Item5)) this.#putBack(group.key, group.members);
    else this.#refuse(group, Item5, Item4);
  }

  #accept({ key, members, operation }: RowGroup): void {
    // Another record would create the principal again, because its rows name it by no key.
    if (operation === 'insert') {
      const left = this.#pending.get(key) ?? [];
      for (const { row } of left) this.#errors.set(row.number, [codedError('RECORD_TOO_LARGE')]);
      this.#pending.delete(key);
    }
    if (operation !== 'upsert') return;
    const before = this.#accepted.get(key);
    const [first, second] = members;
    const isSingle = !before && first && !second;
    this.#accepted.set(
      key,
      isSingle ? first.fields : Object.assign({}, before, ...members.map(({ fields }) => fields)),
    );
  }

  /** Sets the errors of the rows that failed. The other rows of the group are sent again. */
  #refuse(group: RowGroup, fieldErrors: FieldErrorsByPath, message: string | null): void {
    // Another record of the call has the same principal and goes first, unless this one is refused anyway.
    const others = Object.entries(fieldErrors).filter(([, found]) => !found.some(isDuplicatePrincipal));
    const isPostponed = others.length === 0 && Object.keys(fieldErrors).length > 0 && this.#postpone(group);
    const errors: RowErrors = isPostponed
      ? new Map()
      : errorsByRow(group, others.length > 0 ? Object.fromEntries(others) : fieldErrors, message);
    for (const [number, found] of errors) this.#errors.set(number, found);
    if (isLookAlike(fieldErrors)) {
      // The other rows of the principal must not create it without the values of these ones.
      const rest = { ...group, members: this.#pending.get(group.key) ?? [] };
      for (const [number, found] of errorsByRow(rest, splitLookAlikes(fieldErrors).lookAlikes, null))
        this.#errors.set(number, found);
      this.#pending.delete(group.key);
      return;
    }
    this.#putBack(
      group.key,
      group.members.filter(({ row }) => !errors.has(row.number)),
    );
  }

  /** Returns false for a row that was postponed too often. */
  #postpone({ members }: RowGroup): boolean {
    const number = members[0]?.row.number ?? 0;
    const times = (this.#postponed.get(number) ?? 0) + 1;
    this.#postponed.set(number, times);
    return times <= postponementsMax;
  }

  #putBack(key: string, rows: readonly PrincipalRow[]): void {
    if (rows.length === 0) return;
    this.#pending.set(key, [...rows, ...(this.#pending.get(key) ?? [])]);
  }

  #fail({ members }: CombinedRecord, found: readonly RowError[]): void {
    for (const { row } of members) this.#errors.set(row.number, found);
  }
}

const operations = ['insert', 'upsert', 'update'] as const;
const unanswered: Answer = { Item3: false, Item4: null, Item5: {} };
const principalNotFound = codedError('PRINCIPAL_NOT_FOUND', 'ExternalKey');

function isDuplicatePrincipal({ code }: FieldError): boolean {
  return code === 'DUPLICATE_PRINCIPAL';
}

function nameOf(operation: ImportOperation, records: readonly CombinedRecord[], round: number): string {
  const rows = records.reduce((sum, { members }) => sum + members.length, 0);
  return `${operation}${round === 1 ? '' : round}-${records[0]?.members[0]?.row.number}-${rows}`;
}
