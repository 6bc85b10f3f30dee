import { type RecordList, RecordTooLarge } from '../../json/record-list.ts';
import type { Figures } from '../../lib/error-codes.ts';
import { ApiError, ErrorBudget, FieldErrors } from '../../lib/field-errors.ts';
import { inGroups } from '../../lib/in-groups.ts';
import { type Fields, isObject, usersOf } from '../../lib/request-fields.ts';
import { required } from '../../lib/required.ts';
import { TimeSlice } from '../../lib/yield-to-event-loop.ts';
import { mapUsername } from '../../usernames/precis-profiles.ts';
import { usernameMax } from '../../usernames/username.ts';
import type { OperationName, ParsedRecord } from '../parse/parsed-record.ts';
import type { PrincipalChange } from '../write/change.ts';
import type { CallUsernames, Check, CheckTools, Operation } from './operation.ts';

export interface BatchLimits {
  readonly records: number;
  readonly users: number;
}

/** Variant and figures of the `BATCH_TOO_LARGE` message, which names the alternative for the client. */
interface TooLargeHint {
  readonly variant: 'answered' | 'job' | 'undo';
  readonly figures?: Figures;
}

/** Returns the records of a call. Throws an `ApiError` if the body is no array of objects or exceeds the limits. */
export function requireBatch(body: RecordList | null, limits: BatchLimits, hint: TooLargeHint): RecordList {
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

/** A record of a call, which is parsed on demand, so that few records of a call are in memory at a time. */
interface CallRecord {
  /** Zero-based index of the record in the call. */
  readonly position: number;
  fields(): Promise<Fields | RecordTooLarge>;
}

/** A record after its checks. */
export interface CheckedRecord extends CallRecord {
  readonly parsed: ParsedRecord;
  /** Null if the checks have found an error. Later steps can add errors to `parsed`: `changeToWrite` looks at both. */
  readonly change: PrincipalChange | null;
}

/** Returns what a record changes; null if it is refused, by the checks or by a later step. */
export function changeToWrite({
  parsed,
  change,
}: Pick<CheckedRecord, 'parsed' | 'change'>): PrincipalChange | null {
  return parsed.errors.none ? change : null;
}

/**
 * Parses records one by one and checks them against the store, with pauses for the event loop. `budget` limits the
 * number of field errors that are kept for all records of the call.
 */
export async function checkRecords<Sent extends CallRecord>(
  records: Iterable<Sent>,
  operation: Operation,
  check: Check,
  budget: ErrorBudget,
): Promise<(Sent & CheckedRecord)[]> {
  const timeSlice = new TimeSlice();
  const sent = [...records];
  const parsedRecords: ParsedRecord[] = [];
  for (const record of sent) {
    const fields = await record.fields();
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
  return sent.map((record, at) => {
    return { ...record, parsed: required(parsedRecords[at]), change: changes[at] ?? null };
  });
}

/** Number of users that are checked with one set of queries. */
const usersPerCheck = 500;

/** Checks the records of a call in groups, so that a large call is never in memory as a whole. */
export async function* checkInGroups(
  list: RecordList,
  operation: Operation,
  tools: CheckTools,
): AsyncGenerator<CheckedRecord[]> {
  const check = operation.startChecks({ ...tools, usernamesOfCall: () => usernamesIn(list) });
  const budget = new ErrorBudget();
  const usersOf = ({ position }: CallRecord) => list.usersOf(position);
  for (const group of inGroups(recordsOf(list), usersPerCheck, usersOf))
    yield await checkRecords(group, operation, check, budget);
}

/** Returns the usernames of all records. Those of a record that is too large are not read. */
export async function usernamesIn(list: RecordList): Promise<CallUsernames> {
  const timeSlice = new TimeSlice();
  const usernames = new Map<string, boolean>();
  for (const { fields: parse } of recordsOf(list)) {
    const fields = await parse();
    if (fields instanceof RecordTooLarge) continue;
    const own = new Set<string>();
    for (const user of usersOf(fields)) {
      const name = isObject(user) ? user.Username : null;
      const mapped = typeof name === 'string' && name.length <= usernameMax * 4 ? mapUsername(name) : null;
      if (mapped && 'mapped' in mapped) own.add(mapped.mapped);
      if (timeSlice.isOver) await timeSlice.yield();
    }
    for (const username of own) usernames.set(username, usernames.has(username));
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return usernames;
}

export function* recordsOf(list: RecordList): Generator<CallRecord> {
  for (let position = 0; position < list.count; position++)
    yield { position, fields: () => list.fields(position) };
}

/** Returns a record without values, whose only error is its size. */
function parsedTooLarge({ figures }: RecordTooLarge, name: OperationName): ParsedRecord {
  const errors = new FieldErrors();
  const variant = name === 'insert' || name === 'upsert' ? name : 'records';
  errors.add('Users', 'RECORD_TOO_LARGE', { variant, figures });
  const reference = { sentId: null, principalId: null, externalKey: null, namedBy: 'ID' } as const;
  return { ...reference, principal: { fields: {}, state: null }, users: [], allowsSimilar: true, errors };
}
