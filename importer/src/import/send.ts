import type { UpsertTuple } from '@anagrafe/client';
import type { ImportRow } from '../file/rows.ts';
import {
  dryRunUpsert,
  type ImportConnection,
  type ImportOperation,
  isCancelled,
  sendInParts,
  wouldCreate,
} from './calls.ts';
import {
  buildRecords,
  type CombinedRecord,
  type ExistingPolicy,
  findRepeatedUsernames,
  type RowPaths,
} from './records.ts';
import { codedError, type RowError, type RowErrors, rowError } from './row-errors.ts';
import { errorsByRow, type RowGroup } from './row-group.ts';
import { UpsertQueue } from './upsert-queue.ts';

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
export interface Answer
  extends Pick<UpsertTuple, 'Item3' | 'Item4' | 'Item5'>,
    Partial<Pick<UpsertTuple, 'Item1' | 'Item6'>> {
  /** The fields of the principal that the record changes; undefined if these may be all that its rows state. */
  readonly changed?: ReadonlySet<string> | undefined;
}

export interface SendOptions extends ImportConnection {
  readonly existing: ExistingPolicy;
  /** Sends a call and returns the answer to each of its records. */
  readonly send: (call: Call) => Promise<readonly Answer[]>;
  /** Called with each record that was applied, or would be. */
  readonly onApplied?: (record: CombinedRecord, answer: Answer, operation: ImportOperation) => void;
  /** Nothing is stored: the values of a new principal are sent with each of its records. */
  readonly isDryRun?: boolean;
  /** The values that earlier batches of a dry run have stated of a principal that does not exist yet. */
  readonly valuesOf?: (key: string) => Readonly<Record<string, unknown>> | undefined;
  /** Sends the records of cancelled jobs again. Otherwise their rows have an error. */
  readonly resendsCancelled?: boolean;
}

/**
 * Sends rows in rounds, each with at most one call per operation, and returns the errors of the rows that were not
 * applied. A further round has the rows that were refused because of other rows in the same record.
 *
 * The records of a round follow from the rows and from the answers before it, so that they are the same if an
 * interrupted import is resumed.
 */
export function sendRows(rows: readonly ImportRow[], options: SendOptions): Promise<RowErrors> {
  return new RowSender(rows, options).send();
}

type Records = Record<ImportOperation, readonly CombinedRecord[]>;

const noRecords: Records = { insert: [], update: [], upsert: [] };

class RowSender {
  readonly #options: SendOptions;
  readonly #errors: RowErrors;
  readonly #queue: UpsertQueue;
  /** The records of `irs/insert` and `irs/update` of the next round. */
  #single: Records;
  /** The usernames that an earlier row has too. They are needed only if the service refuses a record. */
  readonly #repeated: () => RowPaths;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;

  constructor(rows: readonly ImportRow[], options: SendOptions) {
    const { existing, isDryRun = false, valuesOf = () => undefined, signal } = options;
    const built = buildRecords(rows, existing, (key) => valuesOf(key) !== undefined);
    const { errors, insert, update, upsert } = built;
    this.#options = options;
    this.#errors = errors;
    this.#single = { ...noRecords, insert, update };
    let repeated: RowPaths | null = null;
    this.#repeated = () => {
      repeated ??= findRepeatedUsernames([
        ...[...insert, ...update].flatMap(({ members }) => members),
        ...upsert,
      ]);
      return repeated;
    };
    this.#queue = new UpsertQueue(upsert, { existing, isDryRun, valuesOf, repeated: this.#repeated });
    this.#signal = AbortSignal.any([this.#stop.signal, ...(signal ? [signal] : [])]);
  }

  async send(): Promise<RowErrors> {
    for (let round = 1; ; round++) {
      const { groups, references } = this.#queue.take();
      const { insert, update } = this.#single;
      const records: Records = { insert, upsert: groups, update: [...update, ...references] };
      this.#single = noRecords;
      const calls = operations.map((operation) => this.#sendCall(operation, records[operation], round));
      // All calls end before an error is thrown, so that none is still running then.
      await Promise.allSettled(calls);
      await Promise.all(calls);
      if (operations.every((operation) => records[operation].length === 0)) return this.#errors;
    }
  }

  async #sendCall(
    operation: ImportOperation,
    records: readonly CombinedRecord[],
    round: number,
  ): Promise<void> {
    try {
      const { isDryRun, send } = this.#options;
      const known = isDryRun ? records : await this.#withoutMissingPrincipals(records);
      const signal = this.#signal;
      const parts = await sendInParts(known, (part) =>
        send({ operation, records: part, name: nameOf(operation, part, round), signal }),
      );
      for (const { items, answer, rejection } of parts)
        if (answer)
          for (const [index, record] of items.entries()) this.#finish(operation, record, answer[index]);
        else if (isGroup(items[0]) && items[0].members.length > 1)
          await this.#sendCall(operation, [this.#queue.firstHalf(items[0])], round);
        else this.#fail(items[0], [rowError(rejection)]);
    } catch (error) {
      this.#stop.abort(error);
      throw error;
    }
  }

  /** A record that only refers to a principal by its key would create a missing one, which hides a misspelt key. */
  async #withoutMissingPrincipals(records: readonly CombinedRecord[]): Promise<readonly CombinedRecord[]> {
    const { existing } = this.#options;
    const references = records.filter((record) => isGroup(record) && record.isReference);
    const parts = await sendInParts(references, (part) => dryRunUpsert(part, existing, this.#options));
    const missing = parts.flatMap(({ items, answer }) =>
      items.filter((_, index) => wouldCreate(answer?.tuples[index]?.Item6)),
    );
    for (const record of missing) this.#fail(record, [principalNotFound]);
    return records.filter((record) => !missing.includes(record));
  }

  #finish(operation: ImportOperation, record: CombinedRecord, answer: Answer = unanswered): void {
    const { onApplied, resendsCancelled } = this.#options;
    const { Item3, Item4, Item5, Item6 } = answer;
    if (Item3 && isGroup(record) && record.isReference && wouldCreate(Item6))
      this.#fail(record, [principalNotFound]);
    else if (Item3) {
      if (isGroup(record)) this.#queue.accept(record);
      onApplied?.(record, answer, operation);
    } else if (resendsCancelled && isCancelled(Item5)) this.#sendAgain(operation, record);
    else {
      const refused = isGroup(record)
        ? this.#queue.refuse(record, Item5, Item4)
        : errorsByRow(record, Item5, Item4, this.#repeated());
      for (const [number, found] of refused) this.#errors.set(number, found);
    }
  }

  #sendAgain(operation: ImportOperation, record: CombinedRecord): void {
    if (isGroup(record)) this.#queue.putBack(record);
    else this.#single = { ...this.#single, [operation]: [...this.#single[operation], record] };
  }

  #fail({ members }: CombinedRecord, found: readonly RowError[]): void {
    for (const { row } of members) this.#errors.set(row.number, found);
  }
}

const operations = ['insert', 'upsert', 'update'] as const;
const unanswered: Answer = { Item3: false, Item4: null, Item5: {} };
const principalNotFound = codedError('PRINCIPAL_NOT_FOUND', 'ExternalKey');

function isGroup(record: CombinedRecord): record is RowGroup {
  return 'key' in record;
}

function nameOf(operation: ImportOperation, records: readonly CombinedRecord[], round: number): string {
  const rows = records.reduce((sum, { members }) => sum + members.length, 0);
  return `${operation}${round === 1 ? '' : round}-${records[0]?.members[0]?.row.number}-${rows}`;
}
