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
import { type ChangedFields, findChangedFields } from './changed-fields.ts';
import { buildRecords, type CombinedRecord, type ExistingPolicy, findRepeatedUsernames } from './records.ts';
import { codedError, type RowErrors, rowError } from './row-errors.ts';
import { errorsByRow, type RowGroup } from './row-group.ts';
import { UpsertQueue } from './upsert-queue.ts';

/** Records that are sent in one call. */
export interface Call {
  readonly operation: ImportOperation;
  readonly records: readonly CombinedRecord[];
  /** Unique within an import, and the same whenever the same rows are sent again. */
  readonly name: string;
  readonly changedFields: ChangedFields;
  /** Aborted when another call of the rows has failed. */
  readonly signal: AbortSignal;
}

/** The answer to a record. The principal and the effect are known only in a dry run of `irs/upsert`. */
export type Answer = Pick<UpsertTuple, 'Item3' | 'Item4' | 'Item5'> & Partial<UpsertTuple>;

/** A record that was applied, or would be. */
export interface Applied extends Partial<UpsertTuple> {
  readonly operation: ImportOperation;
  /** The fields of the principal that the record changes; undefined if these may be all that its rows state. */
  readonly changed: ReadonlySet<string> | undefined;
}

export interface SendOptions extends ImportConnection {
  readonly existing: ExistingPolicy;
  /** Sends a call and returns the answer to each of its records. */
  readonly send: (call: Call) => Promise<readonly Answer[]>;
  readonly onApplied?: (record: CombinedRecord, applied: Applied) => void;
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
export async function sendRows(rows: readonly ImportRow[], options: SendOptions): Promise<RowErrors> {
  const { existing, isDryRun = false, valuesOf = () => undefined } = options;
  const { errors, insert, update, upsert } = buildRecords(
    rows,
    existing,
    (key) => valuesOf(key) !== undefined,
  );
  let found: ReturnType<typeof findRepeatedUsernames> | null = null;
  /** The usernames that an earlier row has too. They are needed only if the service refuses a record. */
  const repeated = () => {
    found ??= findRepeatedUsernames([...[...insert, ...update].flatMap(({ members }) => members), ...upsert]);
    return found;
  };
  const queue = new UpsertQueue(upsert, { existing, isDryRun, valuesOf, repeated });
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])]);
  let resent: Pick<Call, 'operation' | 'records'>[] = [
    { operation: 'insert', records: insert },
    { operation: 'update', records: update },
  ];
  for (let round = 1; ; round++) {
    const { groups, references } = queue.take();
    const again = (operation: ImportOperation) =>
      resent.filter((call) => call.operation === operation).flatMap(({ records }) => records);
    const calls = [
      { operation: 'insert', records: again('insert') },
      { operation: 'upsert', records: groups },
      { operation: 'update', records: [...again('update'), ...references] },
    ] as const;
    resent = [];
    const sent = calls.map(({ operation, records }) =>
      sendCall(operation, records, round).catch((error) => {
        stop.abort(error);
        throw error;
      }),
    );
    // All calls end before an error is thrown, so that none is still running then.
    await Promise.allSettled(sent);
    await Promise.all(sent);
    if (calls.every(({ records }) => records.length === 0)) return errors;
  }

  async function sendCall(
    operation: ImportOperation,
    records: readonly CombinedRecord[],
    round: number,
  ): Promise<void> {
    const known = isDryRun ? records : await withoutMissingPrincipals(records, options, errors);
    const mayChange = operation === 'upsert' && existing === 'update';
    const changedFields = await findChangedFields(mayChange ? known : [], options);
    const parts = await sendInParts(known, (part) =>
      options.send({
        operation,
        records: part,
        name: nameOf(operation, part, round),
        changedFields,
        signal,
      }),
    );
    for (const { items, answer, rejection } of parts) {
      const [first] = items;
      if (answer)
        for (const [index, record] of items.entries())
          finish(record, answer[index], { operation, changed: changedFields.get(record) });
      else if (isGroup(first) && first.members.length > 1)
        await sendCall(operation, [queue.firstHalf(first)], round);
      else setErrors([first], [rowError(rejection)], errors);
    }
  }

  function finish(
    record: CombinedRecord,
    answer: Answer | undefined,
    sent: Pick<Applied, 'operation' | 'changed'>,
  ): void {
    const { Item3, Item4 = null, Item5 = {} } = answer ?? {};
    if (answer && Item3 && isMissing(record, answer)) setErrors([record], [principalNotFound], errors);
    else if (answer && Item3) {
      if (isGroup(record)) queue.accept(record);
      options.onApplied?.(record, { ...answer, ...sent });
    } else if (options.resendsCancelled && isCancelled(Item5)) {
      if (isGroup(record)) queue.putBack(record);
      else resent.push({ operation: sent.operation, records: [record] });
    } else {
      const refused = isGroup(record)
        ? queue.refuse(record, Item5, Item4)
        : errorsByRow(record, Item5, Item4, repeated());
      for (const [number, own] of refused) errors.set(number, own);
    }
  }
}

const principalNotFound = codedError('PRINCIPAL_NOT_FOUND', 'ExternalKey');

/** Returns true for a record that only refers to a principal by its key and would create it, which hides a misspelt key. */
function isMissing(record: CombinedRecord, { Item6 }: Pick<Answer, 'Item6'>): boolean {
  return isGroup(record) && record.isReference && wouldCreate(Item6);
}

async function withoutMissingPrincipals(
  records: readonly CombinedRecord[],
  options: SendOptions,
  errors: RowErrors,
): Promise<readonly CombinedRecord[]> {
  const references = records.filter((record) => isGroup(record) && record.isReference);
  const parts = await sendInParts(references, (part) => dryRunUpsert(part, options.existing, options));
  const missing = parts.flatMap(({ items, answer }) =>
    items.filter((record, index) => isMissing(record, answer?.tuples[index] ?? {})),
  );
  setErrors(missing, [principalNotFound], errors);
  return records.filter((record) => !missing.includes(record));
}

function setErrors(
  records: readonly CombinedRecord[],
  found: readonly ReturnType<typeof codedError>[],
  errors: RowErrors,
): void {
  for (const { members } of records) for (const { row } of members) errors.set(row.number, found);
}

function isGroup(record: CombinedRecord): record is RowGroup {
  return 'key' in record;
}

function nameOf(operation: ImportOperation, records: readonly CombinedRecord[], round: number): string {
  const rows = records.reduce((sum, { members }) => sum + members.length, 0);
  return `${operation}${round === 1 ? '' : round}-${records[0]?.members[0]?.row.number}-${rows}`;
}
