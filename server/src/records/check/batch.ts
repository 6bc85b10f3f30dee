import { type RecordList, RecordTooLarge } from '../../json/record-list.ts';
import type { Figures } from '../../lib/error-codes.ts';
import { ApiError, type ErrorBudget, FieldErrors } from '../../lib/field-errors.ts';
import type { Fields } from '../../lib/request-fields.ts';
import { TimeSlice } from '../../lib/yield-to-event-loop.ts';
import type { FieldValue } from '../fields/fields.ts';
import type { OperationName, ParsedRecord } from '../parse/parsed-record.ts';
import type { PrincipalChange } from '../write/change.ts';
import type { Check, Operation } from './operation.ts';

export interface BatchLimits {
  readonly records: number;
  readonly users: number;
}

/** Variant and figures of the `BATCH_TOO_LARGE` message, which names the alternative for the client. */
interface TooLargeHint {
  readonly variant: 'answered' | 'job';
  readonly figures?: Figures;
}

/** Returns the records of a call. Throws an `ApiError` if the body is no array of objects or exceeds the limits. */
export function readBatch(body: RecordList | null, limits: BatchLimits, hint: TooLargeHint): RecordList {
  if (!body) throw new ApiError('INVALID_BODY', { variant: 'array' });
  if (body.count === 0) throw new ApiError('INVALID_BODY', { variant: 'empty' });
  if (body.count > limits.records) throw tooLarge(limits, hint);
  const position = body.firstNonObject;
  if (position >= 0) throw new ApiError('INVALID_BODY', { variant: 'element', figures: { position } });
  if (body.users > limits.users) throw tooLarge(limits, hint);
  return body;
}

function tooLarge(limits: BatchLimits, { variant, figures }: TooLargeHint): ApiError {
  return new ApiError('BATCH_TOO_LARGE', {
    variant,
    figures: { records: limits.records, users: limits.users, ...figures },
  });
}

/** A record of a call after its checks. */
export interface CheckedRecord {
  readonly parsed: ParsedRecord;
  /** Null if the record has an error. */
  readonly change: PrincipalChange | null;
}

/**
 * Parses records one by one and checks them against the store, with pauses for the event loop. `budget` limits the
 * number of field errors that are kept for all records of the call. A caller that keeps the changes passes `holdMemory`.
 */
export async function checkRecords(
  records: Iterable<Fields | RecordTooLarge>,
  operation: Operation,
  check: Check,
  budget: ErrorBudget,
  holdMemory?: (bytes: number) => void,
): Promise<CheckedRecord[]> {
  const timeSlice = new TimeSlice();
  const parsedRecords: ParsedRecord[] = [];
  for (const fields of records) {
    const parsed =
      fields instanceof RecordTooLarge
        ? parsedTooLarge(fields, operation.name)
        : await operation.parse(fields, budget.newFieldErrors());
    budget.limit(parsed.errors);
    parsedRecords.push(parsed);
    if (timeSlice.isOver) await timeSlice.yield();
  }
  const changes = await check(parsedRecords);
  for (const { errors } of parsedRecords) budget.limit(errors);
  const checked = parsedRecords.map((parsed, at) => ({ parsed, change: changes[at] ?? null }));
  holdMemory?.(checked.reduce((bytes, record) => bytes + storedBytes(record), 0));
  return checked;
}

/** Memory in bytes of a user that the record does not contain, such as one to remove. */
const bytesPerUser = 512;

/** Returns the memory in bytes of what a change has of the store, beyond the estimate for its record. */
function storedBytes({ parsed, change }: CheckedRecord): number {
  if (!change) return 0;
  const { applied, changes = [] } = change;
  const users = Math.max(0, applied.length - (parsed.users?.length ?? 0));
  const shown = [changes, ...applied.map((user) => user.changes ?? [])].flat();
  return users * bytesPerUser + shown.reduce((bytes, { from }) => bytes + bytesOf(from), 0);
}

/** A character takes up to two bytes. */
function bytesOf(value: FieldValue | null): number {
  const text = value === null || typeof value === 'string' ? value : value.json;
  return 128 + 2 * (text?.length ?? 0);
}

export function positionsOf(list: RecordList): number[] {
  return Array.from({ length: list.count }, (_, position) => position);
}

/** Parses the records at the given positions on demand, so that only one of them is in memory at a time. */
export function* recordsAt(
  list: RecordList,
  positions: readonly number[],
): Generator<Fields | RecordTooLarge> {
  for (const position of positions) yield list.fields(position);
}

/** Returns a record without values, whose only error is its size. */
function parsedTooLarge({ figures }: RecordTooLarge, name: OperationName): ParsedRecord {
  const errors = new FieldErrors();
  const variant = name === 'insert' || name === 'upsert' ? name : 'records';
  errors.add('Users', 'RECORD_TOO_LARGE', { variant, figures });
  const reference = { sentId: null, principalId: null, externalKey: null, namedBy: 'ID' } as const;
  return { ...reference, principal: { fields: {}, state: null }, users: [], errors };
}
