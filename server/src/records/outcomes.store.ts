import type { Connection, Database } from '../db/database.ts';
import { withApiErrors } from '../db/errors.ts';
import { namesOf, type UserNames } from '../db/lookups.ts';
import { preparedStatement } from '../db/statement.ts';
import type { ErrorDetail } from '../lib/error-codes.ts';
import { FieldErrors } from '../lib/field-errors.ts';
import { isObject } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { FailedRecord, StoredFailure } from './failed-records.ts';
import { type AppliedUser, type IndexedOutcome, withNames } from './outcome.ts';

/** Maximum number of users or field errors of a record that are serialised in one step. */
const itemsAtOnce = 500;

/** A user of an applied record, in its stored JSON form. */
type KeptUser = readonly [id: number, operation: AppliedUser['operation']];
export type KeptFaults = readonly (readonly [place: string, errors: readonly ErrorDetail[]])[];

export interface OutcomeRow {
  readonly position: number;
  readonly principalId: number | null;
  readonly applied: readonly KeptUser[] | null;
  readonly error: ErrorDetail | null;
  readonly errors: KeptFaults | null;
}

export const outcomeColumns =
  'position, principal_id as "principalId", applied, error, field_errors as "errors"';
export const outcomeColumnsWithoutUsers =
  'position, principal_id as "principalId", null as applied, error, field_errors as "errors"';

/** Stores failed records, except those that already have an outcome. Returns the positions that were stored. */
export async function storeFailures(
  connection: Connection,
  callId: string,
  failures: readonly StoredFailure[],
): Promise<Set<number>> {
  if (failures.length === 0) return new Set();
  const kept = await connection.execute<{ position: number }>(insertFailuresSql, {
    callId,
    failures: await failuresJson(failures),
  });
  return new Set(kept.map(({ position }) => position));
}

/** SQL with the parameters `callId` and `failures`, the JSON text from `failuresJson`. */
export const insertFailures = `
  insert into anagrafe.outcomes (call_id, position, principal_id, users, error, field_errors, record, failed_at)
  select :callId::uuid, position, principal_id, users, error, field_errors, record, clock_timestamp()
    from json_to_recordset(:failures::json)
         as kept (position integer, principal_id bigint, users integer, error jsonb, field_errors jsonb, record json)
  on conflict (call_id, position) do nothing`;

const insertFailuresSql = preparedStatement('insert failures', `${insertFailures} returning position`);

export async function failuresJson(failures: readonly StoredFailure[]): Promise<string> {
  const timeSlice = new TimeSlice();
  const rows: string[] = [];
  for (const { position, users, outcome, record } of failures) {
    const field_errors = [...outcome.errors.byPlace];
    const row = { position, users, principal_id: outcome.id, error: outcome.error, field_errors, record };
    rows.push(users <= itemsAtOnce ? storableJson(row) : await largeJson(row, timeSlice));
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return `[${rows.join(',')}]`;
}

/**
 * Serialises a value and replaces NUL, which PostgreSQL does not accept in JSON but a rejected text may contain. The
 * pattern consumes escaped backslashes first, so that a backslash followed by `u0000` in the text stays as it is.
 */
function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\\\|\\u0000/g, (found) => (found === '\\u0000' ? '\\ufffd' : found));
}

/** Does the same in steps of `itemsAtOnce`: a record may have 100,000 users, each with field errors. */
async function largeJson(value: unknown, timeSlice: TimeSlice): Promise<string> {
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += itemsAtOnce) {
      parts.push(storableJson(value.slice(at, at + itemsAtOnce)).slice(1, -1));
      if (timeSlice.isOver) await timeSlice.yield();
    }
    return `[${parts.join(',')}]`;
  }
  if (!isObject(value)) return storableJson(value);
  for (const name of Object.keys(value))
    parts.push(`${storableJson(name)}:${await largeJson(value[name], timeSlice)}`);
  return `{${parts.join(',')}}`;
}

export async function toOutcomes(
  connection: Connection,
  rows: readonly OutcomeRow[],
): Promise<IndexedOutcome[]> {
  const ids = rows.flatMap((row) => (row.applied ?? []).map(([id]) => id));
  const names = ids.length > 0 ? await namesOf(connection, ids) : new Map<number, UserNames>();
  return rows.map((row) => ({
    position: row.position,
    id: row.principalId,
    error: row.error,
    errors: toFaults(row.errors),
    users: (row.applied ?? []).map(([id, operation]) => withNames(id, operation, names)),
  }));
}

export function toFaults(kept: KeptFaults | null): FieldErrors {
  const errors = new FieldErrors();
  for (const [place, found] of kept ?? []) for (const error of found) errors.put(place, error);
  return errors;
}

const failedAtOnce = 500;

interface FailedRow {
  readonly position: number;
  readonly error: ErrorDetail;
  readonly errors: KeptFaults;
  readonly record: string | null;
}

/** Reads the failed records of a call or job in keyset pages, ordered by position. */
export async function* failedRecords(database: Database, id: string): AsyncGenerator<FailedRecord> {
  for (let after = -1; ; ) {
    const rows = await withApiErrors(() =>
      database.query<FailedRow>(
        `select position, error, field_errors as "errors", record::text as record from anagrafe.outcomes
          where call_id = $1 and position > $2 and error is not null order by position limit ${failedAtOnce}`,
        [id, after],
      ),
    );
    for (const row of rows) yield { ...row, errors: toFaults(row.errors).byPlace };
    after = rows.at(-1)?.position ?? after;
    if (rows.length < failedAtOnce) return;
  }
}
