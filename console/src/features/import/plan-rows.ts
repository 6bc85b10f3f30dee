import type { FieldChange, Job, Tuple, UpsertCounts, UpsertTuple } from '@anagrafe/client';
import {
  addCounts,
  type CombinedRecord,
  combineRows,
  errorsByRow,
  type ImportConnection,
  type ImportRow,
  noCounts,
  type Part,
  type PrincipalAliases,
  type RowErrors,
  type RowUnit,
  rowsOfUsers,
  sendInParts,
} from '@anagrafe/importer';

/** Records that are sent in one call. */
interface PlannedCall {
  readonly records: readonly CombinedRecord[];
  /** The plan of a call of `irs/upsert`; null for `irs/insert`, whose records depend on nothing that is stored. */
  readonly tag: string | null;
}

/** A principal or user that the import would create or change. */
export interface PlannedChange {
  readonly key: string;
  /** The company name, external key or ID of the principal. */
  readonly principal: string;
  /** Null if the principal does not exist yet. */
  readonly principalId: number | null;
  /** Null for a change of the principal itself. */
  readonly username: string | null;
  readonly action: 'insert' | 'register' | 'edit';
  /** The fields that change; empty for a new principal or user. */
  readonly fields: readonly FieldChange[];
}

/** The effect of an import that creates and updates. It is applied only while the stored data is as the plan found it. */
export interface Plan {
  readonly calls: readonly PlannedCall[];
  readonly counts: UpsertCounts;
  readonly changes: readonly PlannedChange[];
  /** The numbers of the rows whose user would be registered. */
  readonly registered: ReadonlySet<number>;
  readonly errors: RowErrors;
}

/**
 * Computes with a dry run what an import of the rows would change.
 *
 * @param options With `aliases`, rows that name a principal by `ID` and by `ExternalKey` become one record. `unit` is
 *   that of `line` of the rows.
 */
export async function planRows(
  rows: readonly ImportRow[],
  { aliases, unit }: { readonly aliases: PrincipalAliases; readonly unit: RowUnit },
  { anagrafe, signal }: ImportConnection,
): Promise<Plan> {
  const calls: PlannedCall[] = [];
  const changes: PlannedChange[] = [];
  const registered = new Set<number>();
  const { groups, insert, errors } = combineRows(rows, { aliases, unit });
  let counts = noCounts;
  const upserted = await sendInParts(groups, (some) =>
    anagrafe.upsert(bodyOf(some), { dryRun: true, representation: true, signal }),
  );
  for (const part of upserted) {
    if (part.answer) counts = addCounts(counts, part.answer.counts);
    const tag = part.answer?.plan ?? null;
    addPart(part, tag, (planned, { Item1, Item6 }) => addChanges(planned, Item6, Item1));
  }
  // The last calls of the plan: a plan that is outdated is refused before they are sent.
  const inserted = await sendInParts(insert, (some) =>
    anagrafe.insert(bodyOf(some), { dryRun: true, signal }),
  );
  for (const part of inserted) addPart(part, null, addInserted);
  return { calls, counts, changes, registered, errors };

  function addPart<Result extends Pick<Tuple, 'Item3' | 'Item4' | 'Item5'>>(
    { items, answer, rejection }: Part<CombinedRecord, { readonly tuples: readonly Result[] }>,
    tag: string | null,
    addApplied: (planned: CombinedRecord, tuple: Result) => void,
  ): void {
    if (answer) calls.push({ records: items, tag });
    for (const [index, planned] of items.entries()) {
      const tuple = answer?.tuples[index];
      if (tuple?.Item3) addApplied(planned, tuple);
      else
        for (const [row, found] of errorsByRow(planned, tuple?.Item5 ?? {}, tuple?.Item4 ?? rejection))
          errors.set(row, found);
    }
  }

  function addInserted(planned: CombinedRecord): void {
    const { Users = [] } = planned.record as { readonly Users?: readonly { readonly Username: string }[] };
    const Operation = 'register' as const;
    counts = addCounts(counts, { ...noCounts, PrincipalsInserted: 1, UsersRegistered: Users.length });
    const users = Users.map(({ Username }) => ({ ID: null, Username, Email: null, Operation }));
    addChanges(planned, { Principal: 'inserted', Users: users }, null);
  }

  function addChanges(planned: CombinedRecord, effect: UpsertTuple['Item6'], id: number | null): void {
    const { Principal, Changes = [], Users = [] } = effect;
    const about = { principal: nameOf(planned.record), principalId: Principal === 'inserted' ? null : id };
    const key = `${planned.members[0]?.row.number ?? 0}`;
    if (Principal === 'inserted')
      changes.push({ ...about, key, username: null, action: 'insert', fields: [] });
    else if (Changes.length > 0)
      changes.push({ ...about, key, username: null, action: 'edit', fields: Changes });
    const owners = rowsOfUsers(planned.members);
    // The answer has the users in the order of the record, hence of the rows.
    for (const [at, { Username, Operation, Changes: fields = [] }] of Users.entries()) {
      const change = { ...about, key: `${key} ${at}`, username: Username };
      const owner = owners[at];
      if (Operation === 'register' && owner) registered.add(owner.row.number);
      if (Operation === 'register') changes.push({ ...change, action: 'register', fields: [] });
      else if (Operation === 'edit') changes.push({ ...change, action: 'edit', fields });
    }
  }
}

function bodyOf(records: readonly CombinedRecord[]): never[] {
  return records.map(({ record }) => record) as never[];
}

function nameOf(record: object): string {
  const { Denomination, ExternalKey, ID } = record as Readonly<Record<string, unknown>>;
  return String(Denomination ?? ExternalKey ?? (ID === undefined ? '—' : `#${ID}`));
}

/**
 * Applies a plan as jobs, and returns the errors of the rows that were not applied. A job of `irs/upsert` is refused if the
 * stored data has changed since.
 *
 * @param wait Waits for the end of a job.
 */
export async function applyPlan(
  { calls }: Plan,
  name: string,
  { anagrafe, signal }: ImportConnection,
  wait: (id: string) => Promise<Job>,
): Promise<RowErrors> {
  const jobs: Promise<Job>[] = [];
  for (const [index, { records, tag }] of calls.entries()) {
    const operation = tag === null ? 'insert' : 'upsert';
    const idempotencyKey = `${name}-${operation}-${index}`;
    const options = { idempotencyKey, signal, ...(tag !== null && { ifMatch: tag }) };
    const { ID } = await anagrafe.jobs.submit(operation, bodyOf(records), options);
    jobs.push(wait(ID));
  }
  const errors: RowErrors = new Map();
  for (const [index, { ID, RecordsFailed }] of (await Promise.all(jobs)).entries()) {
    if (RecordsFailed === 0) continue;
    for (const { Position, FieldErrors } of await anagrafe.jobs.failed(ID, { signal })) {
      const planned = calls[index]?.records[Position];
      if (planned) for (const [row, found] of errorsByRow(planned, FieldErrors, null)) errors.set(row, found);
    }
  }
  return errors;
}
