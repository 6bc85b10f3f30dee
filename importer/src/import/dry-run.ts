import type { InsertRecord, UpsertTuple } from '@anagrafe/client';
import type { ImportRow } from '../file/rows.ts';
import type { RowUnit } from '../file/types.ts';
import { dryRunUpsert, type ImportConnection, sendInParts, wouldCreate } from './calls.ts';
import {
  type ChangedFields,
  fieldsChangedBy,
  findChangedFields,
  statesDifferentFields,
} from './changed-fields.ts';
import { findAliases, noAliases, type PrincipalAliases } from './principal-aliases.ts';
import {
  buildRecords,
  type ExistingPolicy,
  externalKeyOf,
  findRepeatedUsernames,
  hasSecret,
  keyOfId,
  type RowRecord,
  usersOf,
} from './records.ts';
import { RowComparer } from './row-comparer.ts';
import { codedError, fromTuple, type RowErrors, rowError } from './row-errors.ts';
import { type RowGroup, rowsOfUsers } from './row-group.ts';
import type { StoredRows } from './stored-rows.ts';
import { addTotals, type ImportTotals, noTotals } from './totals.ts';
import { rowsWithoutChanges } from './unchanged-rows.ts';
import { UpsertQueue } from './upsert-queue.ts';
import { WarningLog } from './warnings.ts';

/** Principals by external key. */
export type Principals = ReadonlyMap<string, InsertRecord>;

/**
 * The rows and principals of earlier dry runs. A dry run stores nothing, so the service
 * cannot detect conflicts between rows of the same file that are checked in different calls.
 */
export class DryRunState {
  readonly existing: ExistingPolicy;
  /** Compares the rows of all batches. */
  readonly comparer: RowComparer;
  readonly warnings = new WarningLog();
  /** True if rows that name a principal by `ID` are compared with those that name it by `ExternalKey`. */
  readonly namesBothWays: boolean;
  readonly #newPrincipals: Map<string, InsertRecord>;
  /** The keys of the principals that were counted, and of those among them that were counted as changed. */
  readonly #counted = new Set<string>();
  readonly #changed = new Set<string>();
  /** The fields of these principals that were changed, each with the key of its principal. */
  readonly #changedFields = new Set<string>();

  /** @param newPrincipals Principals that do not exist yet and that other rows of the file describe. */
  constructor(
    newPrincipals: Principals = new Map(),
    existing: ExistingPolicy = 'refuse',
    { namesBothWays = false, unit = 'line' }: { namesBothWays?: boolean; unit?: RowUnit } = {},
  ) {
    this.namesBothWays = namesBothWays && existing === 'update';
    this.#newPrincipals = new Map(newPrincipals);
    this.existing = existing;
    this.comparer = new RowComparer(existing, { unit });
  }

  /** The principals that the import would create, by external key. */
  get newPrincipals(): Principals {
    return this.#newPrincipals;
  }

  /** Returns the values of a principal that the import would create. */
  valuesOf(key: string): Readonly<Record<string, unknown>> | undefined {
    const externalKey = externalKeyOf(key);
    if (externalKey === null) return undefined;
    return this.#newPrincipals.get(externalKey) as Record<string, unknown> | undefined;
  }

  /** Returns what to add to the totals for a record, so that each principal counts once, as changed if one record changes it. */
  countPrincipal(key: string, effect: UpsertTuple['Item6']['Principal']): Partial<ImportTotals> {
    const isFirst = addTo(this.#counted, key);
    // A dry run stores nothing: a later record of a principal would create or change it too.
    if (effect === 'inserted') return { PrincipalsInserted: isFirst ? 1 : 0 };
    // Only an update counts these principals: without one, most rows refer to them.
    if (effect === 'unchanged') return { PrincipalsUnchanged: isFirst && this.existing === 'update' ? 1 : 0 };
    if (effect !== 'updated' || !addTo(this.#changed, key)) return {};
    return { PrincipalsUpdated: 1, PrincipalsUnchanged: isFirst ? 0 : -1 };
  }

  /** Returns what to add to the totals for the principals of rows that are stored already. */
  countStored(rows: StoredRows): ImportTotals {
    let totals = noTotals;
    for (const { id, key } of rows.values())
      totals = addTotals(totals, {
        ...noTotals,
        ...this.countPrincipal(id === null ? key : keyOfId(id), 'unchanged'),
      });
    return totals;
  }

  /** Returns those of the fields that no earlier record changes: a further record of a principal finds them stored. */
  addChanged(
    key: string,
    effect: UpsertTuple['Item6']['Principal'],
    fields: ReadonlySet<string>,
  ): ReadonlySet<string> {
    if (effect === 'unchanged') return new Set();
    const before = this.valuesOf(key) ?? {};
    const isNew = (field: string) =>
      effect === 'inserted' ? !(field in before) : addTo(this.#changedFields, `${field} ${key}`);
    return new Set([...fields].filter(isNew));
  }

  addPrincipal(record: object): void {
    const { Users: _, ...principal } = record as InsertRecord;
    const key = principal.ExternalKey;
    if (typeof key === 'string')
      this.#newPrincipals.set(key, { ...this.#newPrincipals.get(key), ...principal });
  }
}

/** Returns true if the set did not have the text. */
function addTo(texts: Set<string>, text: string): boolean {
  return texts.size < texts.add(text).size;
}

interface DryRunResult {
  readonly errors: RowErrors;
  /** Estimated time in seconds that the service needs to hash the passwords. */
  readonly seconds: number;
  /** The effects that the rows without errors would have, without `PasswordsNotUsed`. */
  readonly totals: ImportTotals;
  /** The number of the row of each user that exists, and whose password would not be used. */
  readonly passwordsNotUsed: readonly number[];
  /** The numbers of the rows without errors that would change nothing, because all of their values are stored. */
  readonly unchanged: ReadonlySet<number>;
  readonly aliases: PrincipalAliases;
}

/**
 * Checks rows with dry runs, without applying them. To check a file in several batches, pass the same `state` with
 * every batch in file order: it makes later rows aware of what earlier rows would create, and this function adds to it.
 */
export async function dryRunRows(
  rows: readonly ImportRow[],
  connection: ImportConnection,
  state: DryRunState = new DryRunState(),
): Promise<DryRunResult> {
  const { anagrafe, signal } = connection;
  const { existing } = state;
  const errors: RowErrors = new Map();
  let seconds = 0;
  let totals = noTotals;
  const passwordsNotUsed: number[] = [];
  const unchanged = new Set<number>();
  const count = (more: Partial<ImportTotals>) => {
    totals = addTotals(totals, { ...noTotals, ...more });
  };
  const aliases = state.namesBothWays ? await findAliases(rows, connection) : noAliases;
  for (const row of rows) {
    const found = state.comparer.compare(row, aliases);
    state.warnings.add(row);
    if (found.length > 0) errors.set(row.number, found);
  }
  const valuesOf = (key: string) => state.valuesOf(key);
  const records = buildRecords(
    rows.filter(({ number }) => !errors.has(number)),
    existing,
    (key) => valuesOf(key) !== undefined,
  );
  for (const [number, found] of records.errors) errors.set(number, found);
  const members = records.upsert.map(({ row, users }) => ({ row, record: { Users: users } }));
  const repeated = findRepeatedUsernames([...records.insert, ...records.update, ...members]);
  const queue = new UpsertQueue(records.upsert, {
    existing,
    isDryRun: true,
    valuesOf,
    repeated: () => repeated,
  });
  await dryRunSingle('insert', records.insert);
  await dryRunSingle('update', records.update);
  for (let next = queue.take(); next.groups.length + next.references.length > 0; next = queue.take()) {
    await dryRunSingle('update', next.references);
    await dryRunGroups(next.groups);
  }
  return { errors, seconds, totals, passwordsNotUsed, unchanged, aliases };

  async function dryRunSingle(
    operation: 'insert' | 'update',
    some: readonly RowRecord<unknown>[],
  ): Promise<void> {
    const parts = await sendInParts(some, (part) =>
      anagrafe[operation](part.map(({ record }) => record) as never[], { dryRun: true, signal }),
    );
    for (const { items, answer, rejection } of parts) {
      seconds += answer?.estimate.EstimatedSeconds ?? 0;
      for (const [index, { row, record }] of items.entries()) {
        const tuple = answer?.tuples[index];
        if (rejection !== null) errors.set(row.number, [rowError(rejection)]);
        else if (tuple && !tuple.Item3)
          errors.set(row.number, fromTuple(tuple, row, repeated.get(row.number)));
        else {
          const UsersRegistered = usersOf(record as object).length;
          count({ PrincipalsInserted: operation === 'insert' ? 1 : 0, UsersRegistered });
        }
      }
    }
  }

  async function dryRunGroups(groups: readonly RowGroup[]): Promise<void> {
    const parts = await sendInParts(groups, (part) =>
      dryRunUpsert(
        part.map(({ record }) => record),
        existing,
        connection,
      ),
    );
    for (const { items, answer, rejection } of parts) {
      seconds += answer?.counts.EstimatedSeconds ?? 0;
      const isUpdated = (_: RowGroup, index: number) => answer?.tuples[index]?.Item6.Principal === 'updated';
      const updated = items.filter(isUpdated).filter(statesDifferentFields);
      const changedFields = await findChangedFields(updated, connection);
      for (const [index, group] of items.entries()) {
        const tuple = answer?.tuples[index];
        if (rejection === null) finish(group, tuple, changedFields);
        else if (group.members.length > 1) await dryRunGroups([queue.firstHalf(group)]);
        else for (const { row } of group.members) errors.set(row.number, [rowError(rejection)]);
      }
    }
  }

  function finish(group: RowGroup, tuple: UpsertTuple | undefined, changedFields: ChangedFields): void {
    const isCreated = wouldCreate(tuple);
    if (isCreated && group.isReference)
      for (const { row } of group.members)
        errors.set(row.number, [codedError('PRINCIPAL_NOT_FOUND', 'ExternalKey')]);
    else if (tuple?.Item3) {
      queue.accept(group);
      countGroup(group, tuple, changedFields);
      if (isCreated) state.addPrincipal(group.record);
    } else
      for (const [number, found] of queue.refuse(group, tuple?.Item5 ?? {}, tuple?.Item4 ?? null))
        errors.set(number, found);
  }

  function countGroup(group: RowGroup, { Item1, Item6 }: UpsertTuple, changedFields: ChangedFields): void {
    const { members } = group;
    const { Principal, Users = [] } = Item6;
    // Rows may name an existing principal by `ID` and by `ExternalKey`.
    const key = Item1 === null ? group.key : keyOfId(Item1);
    const principals = state.countPrincipal(key, Principal);
    count(principals);
    const changed = state.addChanged(key, Principal, fieldsChangedBy(group, Principal, changedFields));
    if (!principals.PrincipalsInserted)
      for (const number of rowsWithoutChanges(members, Item6, changed)) unchanged.add(number);
    const sent = rowsOfUsers(members);
    for (const [index, { Operation }] of Users.entries()) {
      count({
        UsersRegistered: Operation === 'register' ? 1 : 0,
        UsersUpdated: Operation === 'edit' ? 1 : 0,
        UsersUnchanged: Operation === 'none' ? 1 : 0,
      });
      const { row, user } = sent[index] ?? {};
      if (row && Operation !== 'register' && hasSecret(user)) passwordsNotUsed.push(row.number);
    }
  }
}
