import { createHash } from 'node:crypto';
import type { InsertRecord, UpdateRecord } from '@anagrafe/client';
import type { RecordItem, SheetItem, SheetPrincipal, UserItem } from '@anagrafe/client/sheet';

/** A row with the record that it is sent as. */
export interface Sent<Record> {
  readonly item: SheetItem;
  readonly record: Record;
}

/** What a batch comes to. It depends on the file alone, so that a batch that is sent again is the same to the last byte. */
export interface BatchRecords {
  /** Rows that are sent as nothing, by their numbers, and why. */
  readonly faulty: ReadonlyMap<number, readonly string[]>;
  /** Those that have to be there before, by external key: the rows that belong to them name them by it. */
  readonly principals: ReadonlyMap<string, InsertRecord>;
  readonly update: readonly Sent<UpdateRecord>[];
  readonly insert: readonly Sent<InsertRecord>[];
}

/** One record for each row: what is wrong with one row takes no other with it. */
export function recordsOf(items: readonly SheetItem[]): BatchRecords {
  const faulty = new Map<number, readonly string[]>();
  const principals = new Map<string, InsertRecord>();
  const update: Sent<UpdateRecord>[] = [];
  const insert: Sent<InsertRecord>[] = [];
  for (const item of items) {
    if (item.kind === 'fault')
      faulty.set(
        item.row,
        item.faults.map(({ message }) => message),
      );
    else if (item.kind === 'record') putRecord(item);
    else putUser(item);
  }
  return { faulty, principals, update, insert };

  function putRecord(item: RecordItem): void {
    const { ID, ExternalKey, Users, ...texts } = item.record;
    // As it came: what the service does not know of it, it will say.
    if (ID !== undefined && ID !== null)
      update.push({ item, record: item.record as unknown as UpdateRecord });
    else if (ExternalKey !== undefined && Users !== undefined && Object.keys(texts).length === 0)
      update.push({ item, record: item.record as unknown as UpdateRecord });
    else insert.push({ item, record: item.record as unknown as InsertRecord });
  }

  function putUser(item: UserItem): void {
    const { principal, user } = item;
    const { ID, ExternalKey } = principal;
    const Users = [user] as unknown as UpdateRecord['Users'];
    if (ID !== undefined) update.push({ item, record: { ID, Users } });
    else if (ExternalKey === undefined)
      insert.push({ item, record: { ...principal, Users } as InsertRecord });
    else {
      if (isDescribed(principal) && !principals.has(ExternalKey))
        principals.set(ExternalKey, { ...principal });
      update.push({ item, record: { ExternalKey, Users } });
    }
  }
}

/** A key alone names a principal that is there; to make one of it would hide a key that is misspelt. */
function isDescribed({ ID, ExternalKey, ...texts }: SheetPrincipal): boolean {
  return Object.keys(texts).length > 0;
}

/** Names a call of an import for good. */
export function keyOf(run: string, row: number, operation: string, records: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(records)).digest('hex').slice(0, 16);
  return `import-${run}-${operation}-${row}-${digest}`;
}
