import type { Job, UpsertCounts } from '@anagrafe/client';
import {
  applyPlan,
  changesOf,
  codedError,
  combineRows,
  countsOf,
  errorsByRow,
  type ImportConnection,
  type ImportRow,
  type PlannedCall,
  type PlanRules,
  type PrincipalAliases,
  planInserts,
  planUpserts,
  type RowErrors,
  registeredRows,
  type WriteRules,
} from '@anagrafe/importer';
import type { ShownChange } from '../plans/changes-table.tsx';

/** The effect of an import that creates and updates. It is applied only while the stored data is as the plan found it. */
export interface Plan {
  readonly calls: readonly PlannedCall[];
  readonly rules: PlanRules;
  readonly counts: UpsertCounts;
  readonly changes: readonly ShownChange[];
  /** The numbers of the rows whose user would be registered. */
  readonly registered: ReadonlySet<number>;
  readonly errors: RowErrors;
}

export interface PlanOptions {
  /** Rows that name a principal by `ID` and by `ExternalKey` become one record. */
  readonly aliases: PrincipalAliases;
  readonly rules: WriteRules;
}

/** Computes with a dry run what an import of the rows would change. */
export async function planRows(
  rows: readonly ImportRow[],
  { aliases, rules: { similar } }: PlanOptions,
  connection: ImportConnection,
): Promise<Plan> {
  const { groups, tooLarge, insert, errors } = combineRows(rows, aliases);
  for (const { members } of tooLarge)
    for (const { row } of members) errors.set(row.number, [codedError('PRINCIPAL_TOO_LARGE')]);
  // One call of `irs/upsert`, and the inserts after it: an outdated plan is refused before anything is applied.
  const upserts = await planUpserts(groups.length > 0 ? [groups] : [], { similar }, connection);
  const calls = [...upserts, ...(await planInserts(insert, { similar }, connection))];
  const changes: ShownChange[] = [];
  const registered = new Set<number>();
  for (const { planned, tuple } of calls.flatMap((call) => call.records)) {
    if (!tuple?.Item3)
      for (const [row, found] of errorsByRow(planned, tuple?.Item5 ?? {}, tuple?.Item4 ?? null))
        errors.set(row, found);
    const key = planned.members[0]?.row.number ?? 0;
    for (const [at, { action, ...change }] of changesOf({ planned, tuple }).entries()) {
      // An import neither moves nor removes users.
      if (action === 'move' || action === 'disable' || action === 'delete') continue;
      changes.push({ ...change, action, key: `${key} ${at}`, principal: nameOf(planned.record) });
    }
    for (const row of registeredRows({ planned, tuple })) registered.add(row.number);
  }
  return { calls, rules: { similar }, counts: countsOf(calls), changes, registered, errors };
}

/** Returns the name of the principal of a record: its company name, external key or ID. */
export function nameOf(record: object): string {
  const { Denomination, ExternalKey, ID } = record as Readonly<Record<string, unknown>>;
  return String(Denomination ?? ExternalKey ?? (ID === undefined ? '—' : `#${ID}`));
}

/**
 * Applies a plan as jobs, and returns the errors of the rows that were not applied. A job of `irs/upsert` is refused if the
 * stored data has changed since.
 *
 * @param wait Waits for the end of a job.
 */
export async function applyRows(
  { calls, rules }: Plan,
  name: string,
  connection: ImportConnection,
  wait: (id: string) => Promise<Job>,
): Promise<RowErrors> {
  const errors: RowErrors = new Map();
  for (const { planned, errors: failed } of await applyPlan(calls, { ...connection, rules, name, wait }))
    for (const [row, found] of errorsByRow(planned, failed.Item5, failed.Item4)) errors.set(row, found);
  return errors;
}
