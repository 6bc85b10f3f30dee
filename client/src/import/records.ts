import type { InsertRecord, UpdateRecord } from '../api.gen.ts';
import type { RecordItem, SheetItem, UserItem } from '../sheet/item.ts';
import type { SheetPrincipal } from '../sheet/user.ts';
import type { Descriptions } from './principals.ts';
import { aboutRow, foundHere, type RowFaults } from './row-fault.ts';

/** A row and the record that it is sent as. */
export interface Sent<Record> {
  readonly item: SheetItem;
  readonly record: Record;
}

/**
 * The records of a batch. They depend only on its rows: a batch that is sent again has the same bytes, as its
 * `Idempotency-Key` requires.
 */
export interface BatchRecords {
  /** Errors of the rows that are not sent, by row number. */
  readonly faulty: RowFaults;
  /** Principals to insert before `update` is sent, whose records refer to them by external key. */
  readonly principals: Descriptions;
  readonly update: readonly Sent<UpdateRecord>[];
  readonly insert: readonly Sent<InsertRecord>[];
}

/** Creates one record per row, so that an error in one row does not affect the others. */
export function recordsOf(items: readonly SheetItem[]): BatchRecords {
  const faulty: RowFaults = new Map();
  const principals = new Map<string, InsertRecord[]>();
  const update: Sent<UpdateRecord>[] = [];
  const insert: Sent<InsertRecord>[] = [];
  for (const item of items) {
    if (item.kind === 'fault')
      faulty.set(
        item.row,
        item.faults.map(({ message }) => aboutRow(message)),
      );
    else if (item.kind === 'record') putRecord(item);
    else putUser(item);
  }
  return { faulty, principals, update, insert };

  function putRecord(item: RecordItem): void {
    const { ID, ExternalKey, Users, Position, Faults, ...texts } = item.record;
    const named = ExternalKey !== undefined && Users !== undefined && Object.keys(texts).length === 0;
    // Sent unchanged: the service reports unknown and invalid fields.
    const record = item.record as unknown;
    if ((ID !== undefined && ID !== null) || named) update.push({ item, record: record as UpdateRecord });
    else insert.push({ item, record: record as InsertRecord });
  }

  function putUser(item: UserItem): void {
    const { principal, user } = item;
    const { ID, ExternalKey } = principal;
    const isReset = user.ID !== undefined;
    const Users = [user] as unknown as UpdateRecord['Users'];
    if (ID !== undefined) update.push({ item, record: { ID, Users } });
    else if (ExternalKey !== undefined) {
      if (isDescribed(principal) && !isReset) describe(ExternalKey, principal);
      update.push({ item, record: { ExternalKey, Users } });
    } else if (isReset) faulty.set(item.row, [foundHere('RESET_WITHOUT_PRINCIPAL')]);
    else insert.push({ item, record: { ...principal, Users } as InsertRecord });
  }

  function describe(key: string, principal: SheetPrincipal): void {
    const known = principals.get(key) ?? [];
    const isNew = !known.some((other) => JSON.stringify(other) === JSON.stringify(principal));
    if (isNew) principals.set(key, [...known, { ...principal }]);
  }
}

/**
 * Returns true if the row has fields from which a principal can be inserted. An external key alone refers to an
 * existing principal: inserting one for it would hide a misspelt key.
 */
function isDescribed({ ID, ExternalKey, ...texts }: SheetPrincipal): boolean {
  return Object.keys(texts).length > 0;
}

/** Returns `Users` of an unchecked record. An element that is not an object becomes `{}`, which keeps the indexes. */
export function usersIn(record: object): readonly Readonly<Record<string, unknown>>[] {
  const { Users } = record as { readonly Users?: unknown };
  if (!Array.isArray(Users)) return [];
  return Users.map((user) => (typeof user === 'object' && user !== null ? user : {}));
}
