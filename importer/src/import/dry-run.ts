import type { InsertRecord, Tuple, UpdateRecord } from '@anagrafe/client';
import type { ImportRow } from '../file/rows.ts';
import {
  buildRecords,
  findRepeatedUsernames,
  foldUsername,
  type RowPaths,
  type RowRecord,
  usersOf,
} from './records.ts';
import {
  codedError,
  columnOf,
  fromFieldErrors,
  fromTuple,
  type RowError,
  type RowErrors,
  rowError,
} from './row-errors.ts';
import { dryRunPrincipals, type ImportConnection, type Principals, sendInParts } from './send.ts';

/**
 * Principals and usernames that the dry runs of earlier rows would create. A dry run stores nothing, so the service
 * cannot detect conflicts between rows of the same file that are checked in different calls.
 */
export class DryRunState {
  readonly #newPrincipals: Map<string, InsertRecord>;
  /** Principals of records that insert one principal with its users. */
  readonly #inserted = new Map<string, InsertRecord>();
  readonly #usernames = new Set<string>();

  /** @param newPrincipals Principals that do not exist yet and that other rows of the file describe. */
  constructor(newPrincipals: Principals = new Map()) {
    this.#newPrincipals = new Map(newPrincipals);
  }

  /** The principals that the import inserts before the users of the rows that refer to them by external key. */
  get newPrincipals(): Principals {
    return this.#newPrincipals;
  }

  addPrincipals(principals: Principals): void {
    for (const [key, principal] of principals) this.#newPrincipals.set(key, principal);
  }

  /** Returns the principal that the import would create with this external key. */
  principal(key: string): InsertRecord | undefined {
    return this.#newPrincipals.get(key) ?? this.#inserted.get(key);
  }

  /**
   * Reserves the external key and the usernames of a record for its row. If another row has reserved one of them,
   * returns the errors and reserves none.
   *
   * @param inserts True if the record creates a principal.
   */
  reserve({ kind }: ImportRow, record: object, inserts: boolean): RowError[] {
    const { ExternalKey, Users: _, ...texts } = record as InsertRecord;
    const key = inserts && typeof ExternalKey === 'string' ? ExternalKey : null;
    const isTaken = key !== null && this.principal(key) !== undefined;
    const errors = isTaken ? [codedError('EXTERNAL_KEY_TAKEN', 'ExternalKey')] : [];
    const names = usersOf(record).map(({ Username }) =>
      typeof Username === 'string' ? foldUsername(Username) : null,
    );
    for (const [at, name] of names.entries()) {
      if (name !== null && this.#usernames.has(name))
        errors.push(codedError('USERNAME_TAKEN', columnOf(`Users[${at}].Username`, kind)));
    }
    if (errors.length > 0) return errors;
    for (const name of names) if (name !== null) this.#usernames.add(name);
    if (key !== null) this.#inserted.set(key, { ExternalKey: key, ...texts });
    return errors;
  }
}

export interface DryRunResult {
  readonly errors: RowErrors;
  /** Estimated time in seconds that the service needs to hash the passwords. */
  readonly seconds: number;
}

type Member = RowRecord<UpdateRecord | InsertRecord>;

interface CombinedRecord {
  readonly record: UpdateRecord | InsertRecord;
  readonly members: readonly Member[];
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
  const records = buildRecords(rows);
  const unknown = new Map([...records.principals].filter(([key]) => !state.principal(key)));
  const principals = await dryRunPrincipals(unknown, connection);
  state.addPrincipals(principals.inserted);
  const errors: RowErrors = new Map(records.errors);
  for (const { row, record } of records.update) {
    const principalErrors = principals.errors.get(record.ExternalKey ?? '');
    if (principalErrors) errors.set(row.number, principalErrors);
  }
  const valid = records.update.filter(({ row }) => !errors.has(row.number));
  // A record whose `Users` is not an array cannot be combined. It is sent as it is, and the service reports the error.
  const isOfNewPrincipal = ({ record: { ExternalKey, Users } }: RowRecord<UpdateRecord>) =>
    state.principal(ExternalKey ?? '') !== undefined && Array.isArray(Users);
  const ofExisting = valid.filter((member) => !isOfNewPrincipal(member));
  const repeated = findRepeatedUsernames([...records.update, ...records.insert]);
  let seconds = 0;
  await dryRun('update', ofExisting.map(single));
  await dryRun('insert', records.insert.map(single));
  await dryRun('insert', combineByPrincipal(valid.filter(isOfNewPrincipal), state));
  findDuplicates();
  return { errors, seconds };

  async function dryRun(operation: 'insert' | 'update', combined: readonly CombinedRecord[]): Promise<void> {
    const { anagrafe, signal } = connection;
    const parts = await sendInParts(combined, (part) =>
      anagrafe[operation](part.map(({ record }) => record) as never[], { dryRun: true, signal }),
    );
    for (const { items, answer, rejection } of parts) {
      if (answer) {
        seconds += answer.estimate.EstimatedSeconds;
        for (const [index, { members }] of items.entries())
          for (const [number, found] of errorsByRow(members, answer.tuples[index], repeated))
            errors.set(number, found);
        continue;
      }
      const [rejected] = items;
      if (rejected.members.length === 1)
        for (const { row } of rejected.members) errors.set(row.number, [rowError(rejection)]);
      else for (const half of halves(rejected)) await dryRun(operation, [half]);
    }
  }

  /** Finds duplicates in different calls, which the service cannot detect. The first row in the file is valid. */
  function findDuplicates(): void {
    const inserts = new Set<RowRecord<object>>(records.insert);
    const all = [...records.update, ...records.insert].sort(
      (one, other) => one.row.number - other.row.number,
    );
    for (const member of all) {
      const { row, record } = member;
      if (errors.has(row.number)) continue;
      const found = state.reserve(row, record, inserts.has(member));
      if (found.length > 0) errors.set(row.number, found);
    }
  }
}

function single(member: Member): CombinedRecord {
  return { record: member.record, members: [member] };
}

/**
 * Groups rows by the external key of a principal that does not exist yet. A dry run can check the users of such a
 * principal only in the record that inserts it.
 */
function combineByPrincipal(
  members: readonly RowRecord<UpdateRecord>[],
  state: DryRunState,
): CombinedRecord[] {
  const byKey = new Map<string, RowRecord<UpdateRecord>[]>();
  for (const member of members) {
    const key = member.record.ExternalKey ?? '';
    const others = byKey.get(key);
    if (others) others.push(member);
    else byKey.set(key, [member]);
  }
  return [...byKey].map(([key, ofKey]) => combine({ ...state.principal(key) }, ofKey));
}

/** Splits a combined record that the service rejected as a whole into two. */
function halves({ record, members }: CombinedRecord): CombinedRecord[] {
  const half = Math.ceil(members.length / 2);
  return [members.slice(0, half), members.slice(half)].map((some) => combine(record as InsertRecord, some));
}

function combine(principal: InsertRecord, members: readonly Member[]): CombinedRecord {
  const Users = members.flatMap(({ record }) => record.Users ?? []);
  return { record: { ...principal, Users } as InsertRecord, members };
}

/**
 * Returns the errors of a tuple by row number. If the record combines several rows, the index in `Users[index]` selects
 * the row. All its rows have the errors outside `Users` and, if the tuple has no field errors at all, its message.
 */
export function errorsByRow(
  members: readonly Member[],
  tuple: Pick<Tuple, 'Item3' | 'Item4' | 'Item5'> | undefined,
  repeated: RowPaths = new Map(),
): RowErrors {
  const errors: RowErrors = new Map();
  if (!tuple || tuple.Item3) return errors;
  const add = (row: ImportRow, found: readonly RowError[]) =>
    errors.set(row.number, [...(errors.get(row.number) ?? []), ...found]);
  const [only, another] = members;
  if (only && !another) {
    add(only.row, fromTuple(tuple, 'RECORD_NOT_APPLIED', only.row.kind, repeated.get(only.row.number)));
    return errors;
  }
  const owners = members.flatMap(({ row, record }) => usersOf(record).map((_, at) => ({ row, at })));
  for (const [path, found] of Object.entries(tuple.Item5)) {
    const [, index, field = ''] = /^Users\[(\d+)\](.*)$/.exec(path) ?? [];
    const owner = index === undefined ? undefined : owners[Number(index)];
    if (owner)
      add(
        owner.row,
        fromFieldErrors(
          { [`Users[${owner.at}]${field}`]: found },
          owner.row.kind,
          repeated.get(owner.row.number),
        ),
      );
    else for (const { row } of members) add(row, fromFieldErrors({ [path]: found }, row.kind));
  }
  if (errors.size === 0)
    for (const { row } of members) add(row, fromTuple(tuple, 'RECORD_NOT_APPLIED', row.kind));
  return errors;
}
