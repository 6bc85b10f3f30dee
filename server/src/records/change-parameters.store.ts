import { arrayLiteral, type ParameterValues, rowsParameter } from '../db/statement.ts';
import {
  auditDetails,
  isUnchanged,
  type PrincipalChange,
  type PrincipalStep,
  type PrincipalValues,
  type UserEdit,
} from './change.ts';
import { columnTypes, fieldColumns } from './field-columns.ts';
import { principalFields, userFields } from './fields.ts';
import { contextColumns, contextReaders, newUserValues, type RecordContext } from './grouped-write.store.ts';
import type { PrincipalOutcome } from './outcome.ts';

// The parameters of the statement in change.store.ts.

export const changedRecords = rowsParameter('record', {
  principal_id: 'bigint',
  /** The `kind` of the `PrincipalStep`, or `none` for a record that changes nothing. */
  step: 'text',
  action: 'text',
  expected_version: 'text',
  state: 'text',
  search_terms: 'text',
  ...columnTypes(principalFields),
  registered: 'text',
  reset: 'text',
  deleted: 'text',
  /** The number of existing users that the record changes or deletes by their IDs. */
  existing: 'integer',
  details: 'text',
  expected_hash: 'text',
  ...contextColumns,
});

/** The users that exist already. A column that is null stays as it is, unless `sets_fields` is true. */
export const changedUsers = rowsParameter('changed_user', {
  id: 'bigint',
  principal_id: 'bigint',
  sets_fields: 'boolean',
  sets_attributes: 'boolean',
  deletes: 'boolean',
  username: 'text',
  username_key: 'text',
  password_hash: 'text',
  state: 'text',
  ...columnTypes(userFields),
});

/** Returns the parameters for a group of records. */
export async function changeParameters(changes: readonly PrincipalChange[]): Promise<ParameterValues> {
  const records: ChangedRecord[] = [];
  for (const change of changes) records.push(await changedRecord(change));
  return {
    ...changedRecords.values(records, changedRecordColumns),
    ...changedUsers.values(changes.flatMap(changedUsersOf), changedUserColumns),
    ...newUserValues(
      changes.map(({ principalId, registrations }) => ({ principalId, users: registrations })),
    ),
  };
}

const outcomes: Record<PrincipalStep['kind'], PrincipalOutcome> = {
  insert: 'inserted',
  edit: 'updated',
  keep: 'unchanged',
  delete: 'deleted',
};

export function principalOutcome({
  principal,
  reportsPrincipal = true,
}: PrincipalChange): PrincipalOutcome | null {
  return reportsPrincipal ? outcomes[principal.kind] : null;
}

/** A record with the values that several columns need. */
interface ChangedRecord {
  readonly change: PrincipalChange;
  /** Null if the record neither inserts nor edits the principal. */
  readonly values: PrincipalValues | null;
  readonly details: string;
  readonly context: RecordContext;
}

async function changedRecord(change: PrincipalChange): Promise<ChangedRecord> {
  const { principal, context, applied } = change;
  return {
    change,
    values: 'values' in principal ? principal.values : null,
    details: await auditDetails(change),
    context: { context, users: applied, outcome: principalOutcome(change) },
  };
}

const changedRecordColumns = {
  principal_id: ({ change }: ChangedRecord) => change.principalId,
  step: ({ change }: ChangedRecord) => (isUnchanged(change) ? 'none' : change.principal.kind),
  action: ({ change }: ChangedRecord) => change.action,
  expected_version: ({ change }: ChangedRecord) => change.expectedVersion,
  state: ({ change, values }: ChangedRecord) => (setsState(change) && values ? values.state : null),
  search_terms: ({ values }: ChangedRecord) => values && arrayLiteral(values.searchTerms),
  ...fieldColumns(principalFields, ({ values }: ChangedRecord) => values?.fields ?? null),
  registered: ({ change }: ChangedRecord) => arrayLiteral(change.registrations.map(({ id }) => id)),
  reset: ({ change }: ChangedRecord) => arrayLiteral(resetUsers(change)),
  deleted: ({ change }: ChangedRecord) => arrayLiteral(change.deletes),
  existing: ({ change: { resets, edits, deletes } }: ChangedRecord) =>
    resets.length + edits.length + deletes.length,
  details: ({ details }: ChangedRecord) => details,
  ...contextReaders(({ context }: ChangedRecord) => context),
  expected_hash: ({ change }: ChangedRecord) => change.context.expectedCurrentHash,
};

/** A state that an edit leaves as it is must not end the sessions of a disabled principal again. */
function setsState({ principal }: PrincipalChange): boolean {
  return principal.kind === 'insert' || (principal.kind === 'edit' && principal.changed.includes('State'));
}

function resetUsers({ resets, edits }: PrincipalChange): number[] {
  return [...resets, ...edits.filter(({ passwordHash }) => passwordHash !== null)].map(({ id }) => id);
}

/** A user that exists already, with the part of the change that concerns it. */
interface ChangedUser {
  readonly id: number;
  readonly principalId: number;
  readonly edit: UserEdit | null;
  readonly passwordHash: string | null;
  readonly deletes: boolean;
}

function changedUsersOf({ principalId, resets, edits, deletes }: PrincipalChange): ChangedUser[] {
  return [
    ...resets.map(({ id, passwordHash }) => ({ id, principalId, edit: null, passwordHash, deletes: false })),
    ...edits.map((edit) => {
      return { id: edit.id, principalId, edit, passwordHash: edit.passwordHash, deletes: false };
    }),
    ...deletes.map((id) => ({ id, principalId, edit: null, passwordHash: null, deletes: true })),
  ];
}

const changedUserColumns = {
  id: ({ id }: ChangedUser) => id,
  principal_id: ({ principalId }: ChangedUser) => principalId,
  sets_fields: ({ edit }: ChangedUser) => Boolean(edit?.fields),
  sets_attributes: ({ edit }: ChangedUser) => edit?.fields?.Attributes !== undefined,
  deletes: ({ deletes }: ChangedUser) => deletes,
  username: ({ edit }: ChangedUser) => edit?.newUsername?.asSent ?? null,
  username_key: ({ edit }: ChangedUser) => edit?.newUsername?.key ?? null,
  password_hash: ({ passwordHash }: ChangedUser) => passwordHash,
  state: ({ edit }: ChangedUser) => edit?.state ?? null,
  ...fieldColumns(userFields, ({ edit }: ChangedUser) => edit?.fields ?? null),
};
