import type { Connection, Database } from '../../db/database.ts';
import { namesOf, type UserNames } from '../../db/lookups.ts';
import { readGroup } from '../../db/paging.ts';
import { preparedStatement } from '../../db/statement.ts';
import type { CallerTags } from '../../db/visibility.ts';
import type { ErrorDetail } from '../../lib/error-codes.ts';
import { FieldErrors } from '../../lib/field-errors.ts';
import { inGroups } from '../../lib/in-groups.ts';
import { isAbsent } from '../../lib/request-fields.ts';
import { TimeSlice } from '../../lib/yield-to-event-loop.ts';
import type { InviteChannel } from '../parse/new-password.ts';
import type { FailedRecord, StoredFailure } from './failed-records.ts';
import {
  type AppliedInvite,
  type AppliedUser,
  type IndexedOutcome,
  type KeptField,
  type PrincipalOutcome,
  withNames,
} from './outcome.ts';

/** A user of an applied record, in its stored JSON form. */
export type OutcomeUserJson = readonly [
  id: number,
  operation: AppliedUser['operation'],
  changed?: readonly string[] | null,
  state?: AppliedUser['state'] | null,
  /** The principal that the user was moved from. */
  from?: number | null,
  invite?: OutcomeInviteJson,
];
export type OutcomeInviteJson = readonly [channel: InviteChannel, issuedAt?: string, expiresAt?: string];
/** The values that an undo has left as they were, of the principal (null) and of users. */
export type KeptFieldsJson = readonly (readonly [
  user: number | null,
  field: KeptField['field'],
  reason: KeptField['reason'],
])[];
export type OutcomeErrorsJson = readonly (readonly [place: string, errors: readonly ErrorDetail[]])[];

export interface OutcomeRow {
  readonly position: number;
  readonly principalId: number | null;
  readonly applied: readonly OutcomeUserJson[] | null;
  readonly kept: KeptFieldsJson | null;
  readonly error: ErrorDetail | null;
  readonly errors: OutcomeErrorsJson | null;
  readonly principal: PrincipalOutcome | null;
  readonly externalKey: string | null;
  /** Only in a list of outcomes, not in the answer to a call. */
  readonly username?: string | null;
}

const columnsWith = (users: string) => `position, principal_id as "principalId", ${users}, error,
  field_errors as "errors", principal_change as principal, external_key as "externalKey"`;
export const outcomeColumns = columnsWith('applied, kept');
export const listedOutcomeColumns = `${outcomeColumns}, username`;
export const outcomeColumnsWithoutUsers = `${columnsWith('null::jsonb as applied, null::jsonb as kept')}, username`;

/** Stores failed records, except those that already have an outcome. Returns the positions that were stored. */
export async function storeFailures(
  connection: Connection,
  callId: string,
  failures: readonly StoredFailure[],
): Promise<Set<number>> {
  if (failures.length === 0) return new Set();
  const stored = await connection.execute<{ position: number }>(insertFailures, {
    callId,
    failures: await failuresJson(failures),
  });
  return new Set(stored.map(({ position }) => position));
}

/** A record of `irs/upsert` whose values were all stored already. */
export interface UnchangedRecord {
  readonly position: number;
  readonly principalId: number;
  /** The IDs of its users, in the order sent. */
  readonly userIds: readonly number[];
}

/** Number of users whose outcomes are stored with one statement. */
const unchangedUsersAtOnce = 10_000;

/** Stores records that change nothing, except those that already have an outcome. */
export async function storeUnchanged(
  connection: Connection,
  callId: string,
  records: readonly UnchangedRecord[],
): Promise<void> {
  for (const group of inGroups(records, unchangedUsersAtOnce, ({ userIds }) => 1 + userIds.length)) {
    const rows = group.map(({ position, principalId, userIds }) => {
      const applied: OutcomeUserJson[] = userIds.map((id) => [id, 'none']);
      return { position, principal_id: principalId, users: userIds.length, applied };
    });
    await connection.execute(insertUnchanged, { callId, records: JSON.stringify(rows) });
  }
}

const insertUnchanged = preparedStatement(
  'insert unchanged',
  `insert into anagrafe.outcomes (call_id, position, principal_id, users, applied, principal_change)
  select :callId::uuid, position, principal_id, users, applied, 'unchanged'
    from json_to_recordset(:records::json)
         as record (position integer, principal_id bigint, users integer, applied jsonb)
  on conflict (call_id, position) do nothing`,
);

/**
 * Stores a call with neither an idempotency key nor a run. Its lease is not renewed: the call is completed without the request if its
 * records all have outcomes later.
 */
export const insertCall = preparedStatement(
  'insert call',
  `insert into anagrafe.calls (id, client_id, operation, state, records, users, lease_id, lease_renewed_at)
   values (:id, :clientId, :operation, 'open', :records, :users, :id, now())
   on conflict (id) do nothing`,
);

const insertFailures = preparedStatement(
  'insert failures',
  `insert into anagrafe.outcomes
    (call_id, position, principal_id, external_key, username, users, error, field_errors, record, mentions, failed_at)
  select :callId::uuid, position, principal_id, external_key, username, users, error, field_errors, record, mentions,
         clock_timestamp()
    from json_to_recordset(:failures::json)
         as failure (position integer, principal_id bigint, external_key text, username text, users integer, error jsonb,
                  field_errors jsonb, record json, mentions text[])
  on conflict (call_id, position) do nothing
  returning position`,
);

async function failuresJson(failures: readonly StoredFailure[]): Promise<string> {
  const timeSlice = new TimeSlice();
  const rows: string[] = [];
  for (const { outcome, externalKey: external_key, ...failure } of failures) {
    const { id: principal_id, error, errors } = outcome;
    const row = { ...failure, principal_id, external_key, error, field_errors: [...errors.byPlace] };
    rows.push(storableJson(row));
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

/** Users that the caller does not see any more have no names. */
export async function toOutcomes(
  connection: Connection,
  rows: readonly OutcomeRow[],
  callerTags: CallerTags,
): Promise<IndexedOutcome[]> {
  const ids = rows.flatMap((row) => (row.applied ?? []).map(([id]) => id));
  const names = ids.length > 0 ? await namesOf(connection, ids, callerTags) : new Map<number, UserNames>();
  return rows.map((row) => ({
    ...keptOf(null, row),
    position: row.position,
    id: row.principalId,
    error: row.error,
    errors: toFieldErrors(row.errors),
    users: (row.applied ?? []).map(([id, operation, changed, state, , invite]) =>
      withNames(id, operation, names, {
        ...(changed && { changed }),
        ...(state && { state }),
        ...(invite && { invite: toInvite(invite) }),
        ...keptOf(id, row),
      }),
    ),
    ...(row.principal !== null && { principal: row.principal }),
    ...(row.externalKey !== null && { externalKey: row.externalKey }),
    ...(!isAbsent(row.username) && { username: row.username }),
  }));
}

function keptOf(user: number | null, { kept }: OutcomeRow) {
  const keptFields = (kept ?? []).flatMap(([id, field, reason]) => (id === user ? { field, reason } : []));
  return keptFields.length > 0 ? { keptFields } : {};
}

function toInvite([channel, issuedAt, expiresAt]: OutcomeInviteJson): AppliedInvite {
  const isIssued = issuedAt !== undefined && expiresAt !== undefined;
  const code = isIssued ? { issuedAt: new Date(issuedAt), expiresAt: new Date(expiresAt) } : null;
  return { channel, code };
}

export function toFieldErrors(stored: OutcomeErrorsJson | null): FieldErrors {
  const errors = new FieldErrors();
  for (const [place, found] of stored ?? []) for (const error of found) errors.put(place, error);
  return errors;
}

const failedAtOnce = 100;
/** The size, as stored, of the failed records that are read at once. One larger record is read alone. */
const failedBytesAtOnce = 1024 * 1024;

interface FailedRow {
  readonly position: number;
  readonly error: ErrorDetail;
  readonly errors: OutcomeErrorsJson;
  readonly record: string | null;
}

/** Reads the failed records of a call or job in keyset pages, ordered by position. */
export async function* failedRecords(database: Database, id: string): AsyncGenerator<FailedRecord> {
  for (let after = -1; ; ) {
    const rows = await readGroup(() =>
      database.query<FailedRow>(
        `with next as (
           select position, row_number() over next_first as number,
                  sum(coalesce(pg_column_size(record), 0)) over next_first as bytes
             from anagrafe.outcomes where call_id = $1 and position > $2 and error is not null
           window next_first as (order by position) order by position limit ${failedAtOnce}
         )
         select position, error, field_errors as "errors", record::text as record
           from anagrafe.outcomes join next using (position)
          where call_id = $1 and (bytes <= ${failedBytesAtOnce} or number = 1) order by position`,
        [id, after],
      ),
    );
    if (rows.length === 0) return;
    for (const row of rows) yield { ...row, errors: toFieldErrors(row.errors).byPlace };
    after = rows.at(-1)?.position ?? after;
  }
}
