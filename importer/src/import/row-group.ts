import type { FieldError } from '@anagrafe/client';
import { isObject } from '../file/json-element.ts';
import type { ImportRow } from '../file/rows.ts';
import type { JsonObject } from '../file/types.ts';
import type { ImportOperation } from './calls.ts';
import { groupBy } from './group-by.ts';
import { lookAlikeErrors, splitLookAlikes } from './look-alikes.ts';
import { noAliases, type PrincipalAliases } from './principal-aliases.ts';
import {
  type CombinedRecord,
  hasTooManyUsers,
  isInserted,
  isReset,
  type PrincipalRow,
  principalRows,
  statesValues,
  usersOf,
} from './records.ts';
import {
  codedError,
  type FieldErrorsByPath,
  fromFieldErrors,
  type RowError,
  type RowErrors,
  rowError,
} from './row-errors.ts';

/** Rows of one principal that are sent as one record. */
export interface RowGroup extends CombinedRecord {
  readonly key: string;
  readonly members: readonly PrincipalRow[];
  readonly operation: ImportOperation;
  /** True if no row states a value of the principal, which must then exist. */
  readonly isReference: boolean;
}

interface GroupOptions {
  readonly operation: ImportOperation;
  /** Values of a principal that does not exist yet, which earlier rows have stated in a dry run. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  /** True if another row accepts that the principal looks like another one. */
  readonly allowsSimilar?: boolean;
}

/** Combines rows that do not contradict each other. A single record of a JSON file is sent as it is. */
export function groupOf(
  key: string,
  members: readonly PrincipalRow[],
  { operation, before, allowsSimilar = false }: GroupOptions,
): RowGroup {
  const isReference = !before && !members.some(statesValues);
  const [first, second] = members;
  const isRecord = first?.row.kind === 'record' && 'Users' in first.row.record;
  const stated = members.find(({ similar }) => similar !== undefined && similar !== 'allow');
  const isAllowed = allowsSimilar || members.some(({ similar }) => similar === 'allow');
  // A wrong value is sent, because the service reports it.
  const Similar = stated ? stated.similar : isAllowed ? 'allow' : undefined;
  const found = { key, members, operation, isReference };
  if (first?.row.kind === 'record' && !second && !before && (isRecord || operation !== 'insert'))
    return { ...found, record: sentRecord(first.row.record, operation, Similar) };
  const Users = second ? members.flatMap(({ users }) => users ?? []) : (first?.users ?? []);
  // `Users` that are not a list are among the fields. They are sent, because the service reports them.
  const record: Record<string, unknown> = members.some(({ users }) => users !== null) ? { Users } : {};
  if (before) Object.assign(record, before);
  for (const { fields } of members) Object.assign(record, fields);
  Object.assign(record, first?.reference);
  if (first && isReset(first.row)) return { ...found, record };
  return { ...found, record: sentRecord(record, operation, Similar) };
}

/**
 * Returns a record with what its operation takes: `irs/update` does not insert principals, and without the operation of a
 * user it could take a registration for something else.
 */
function sentRecord(
  { Similar: _, ...record }: JsonObject,
  operation: ImportOperation,
  Similar: unknown,
): JsonObject {
  if (operation !== 'update') return Similar === undefined ? record : { ...record, Similar };
  if (!Array.isArray(record.Users)) return record;
  return {
    ...record,
    Users: record.Users.map((user) => (isObject(user) ? { ...user, Operation: 'register' } : user)),
  };
}

/** All rows of a file, with one record for each principal. */
interface CombinedRows {
  /** The groups in the order of their first rows. */
  readonly groups: readonly RowGroup[];
  /** The groups with more users than a record may have, which are left out. */
  readonly tooLarge: readonly RowGroup[];
  /** The rows that name no principal by `ExternalKey` or `ID`: each is a record of `irs/insert`. */
  readonly insert: readonly CombinedRecord[];
  /** The errors of invalid rows, which are left out. */
  readonly errors: RowErrors;
}

/**
 * Combines all rows of each principal, for a call that may contain a principal only once and must contain all of it.
 *
 * @param rows Rows that were compared.
 * @param aliases Rows that name a principal by `ID` are combined with those that name it by `ExternalKey`.
 */
export function combineRows(rows: readonly ImportRow[], aliases: PrincipalAliases = noAliases): CombinedRows {
  const { ofPrincipals, errors } = principalRows(rows);
  const members = groupBy(ofPrincipals, ({ key }) => aliases.get(key) ?? key);
  const all = [...members].map(([key, some]) => {
    return groupOf(key, some, { operation: some.every(isInserted) ? 'insert' : 'upsert' });
  });
  const isTooLarge = ({ record }: RowGroup) => hasTooManyUsers(usersOf(record).length);
  const fitting = all.filter((group) => !isTooLarge(group));
  return {
    groups: fitting.filter(({ operation }) => operation === 'upsert'),
    insert: fitting.filter(({ operation }) => operation === 'insert'),
    tooLarge: all.filter(isTooLarge),
    errors,
  };
}

/**
 * Returns the errors of a record by row number. If the record combines several rows, the index in `Users[index]` selects
 * the row, and an error of a principal field belongs to the rows that state the value that was sent. All rows have the
 * other errors and, if there are no field errors at all, the message.
 */
export function errorsByRow(
  { members, record }: CombinedRecord,
  fieldErrors: FieldErrorsByPath,
  message: string | null,
): RowErrors {
  const errors: RowErrors = new Map();
  const { lookAlikes, others } = splitLookAlikes(fieldErrors);
  const add = (row: ImportRow, found: readonly RowError[]) => {
    if (found.length > 0) errors.set(row.number, [...(errors.get(row.number) ?? []), ...found]);
  };
  const owners = rowsOfUsers(members);
  const [only, another] = members;
  if (only && !another) add(only.row, fromFieldErrors(others, only.row));
  else for (const [path, found] of Object.entries(others)) addFound(path, found);
  // The rows would otherwise create the principal without the values of the others.
  for (const { row } of members) add(row, lookAlikeErrors(lookAlikes, record, row));
  const fallback = message === null ? codedError('RECORD_NOT_APPLIED') : rowError(message);
  if (errors.size === 0) for (const { row } of members) add(row, [fallback]);
  return errors;

  function addFound(path: string, found: readonly FieldError[]): void {
    const [, index, field = ''] = /^Users\[(\d+)\](.*)$/.exec(path) ?? [];
    const owner = index === undefined ? undefined : owners[Number(index)];
    if (owner) {
      const { row, at } = owner;
      const own = { [`Users[${at}]${field}`]: found };
      add(row, fromFieldErrors(own, row));
    } else for (const { row } of stating(path)) add(row, fromFieldErrors({ [path]: found }, row));
  }

  function stating(path: string): CombinedRecord['members'] {
    const sent = (record as Readonly<Record<string, unknown>>)[path];
    const statedBy = ({ fields, similar }: CombinedRecord['members'][number]) =>
      path === 'Similar' ? similar : fields[path];
    const rows = members.filter((member) => statedBy(member) !== undefined && statedBy(member) === sent);
    return rows.length > 0 ? rows : members;
  }
}

/** Returns the row of each user of a record that combines rows, and the index of the user in its row. */
export function rowsOfUsers(
  members: CombinedRecord['members'],
): readonly { readonly row: ImportRow; readonly at: number; readonly user: unknown }[] {
  return members.flatMap(({ row, users }) => (users ?? []).map((user, at) => ({ row, at, user })));
}
