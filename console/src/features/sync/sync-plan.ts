import { type Job, newRun } from '@anagrafe/client';
import {
  applyPlan,
  type ColumnMapping,
  changesIn,
  changesOf,
  countsOf,
  disablePrincipals,
  findDisabled,
  findExcessiveLosses,
  findMissingPrincipals,
  findMoves,
  type ImportConnection,
  type ImportRow,
  type MissingPrincipal,
  type MissingPrincipals,
  type Moves,
  namesByField,
  type PlanRules,
  planSync,
  problemsOfAllRows,
  problemsOfRecord,
  type RowProblem,
  readSyncFile,
  type SyncFile,
  type SyncPlan,
  type SyncRecord,
  type SyncTotals,
  sourceOf,
  totalsOfPlan,
} from '@anagrafe/importer';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mappedColumns } from '../import/check-rows.ts';
import { nameOf } from '../import/plan-rows.ts';
import { readRows, type UsersFile } from '../import/users-file.ts';
import type { ShownChange } from '../plans/changes-table.tsx';
import { principalsKey } from '../results/record-mutation.ts';
import { usePatientAnagrafe } from '../session/api-client.ts';
import { retryAfterSignIn } from '../session/retry-after-sign-in.ts';
import type { SyncOptions } from './sync-options.tsx';

/** The planned changes of a synchronisation, and the records that it leaves as they are. */
export interface Comparison extends Pick<SyncFile, 'warnings' | 'unused'> {
  readonly plan: SyncPlan;
  readonly rules: PlanRules;
  /** The names of the columns of the file, for errors. */
  readonly names: ReturnType<typeof namesByField>;
  /** The errors because of which the file cannot be used at all: a row left out would count as missing. */
  readonly problems: readonly RowProblem[];
  readonly totals: SyncTotals;
  readonly changes: readonly ShownChange[];
  /** The principals that the file does not have; null if they were not searched, or are too many. */
  readonly gone: MissingPrincipals | null;
  /** Those among them that would be disabled. */
  readonly disables: readonly MissingPrincipal[];
  /** Users of the file that are disabled and stay so; null if they are not known. */
  readonly disabledUsers: readonly string[] | null;
  /** The number of users that would be disabled, deleted or moved, and of principals that would be disabled. */
  readonly losses: number;
  /** The number of users and principals that would be changed. */
  readonly size: number;
  /** The number of users that would be disabled or deleted, and of principals that would be disabled. */
  readonly removals: number;
  /** True if the command line would refuse so many of them without a confirmation. */
  readonly hasManyLosses: boolean;
  /** How new users are invited; null if they are not. */
  readonly invites: SyncOptions['invites'];
  /** The run that the calls are a part of. A retry after an error continues it. */
  readonly run: string;
}

/** The principals that are to be disabled cannot be found. */
export class MissingUnknownError extends Error {}

/** The default limits of `anagrafe sync --yes`. */
const removalLimit = { maxPercent: 10, alwaysAllowed: 20 };

/** Compares a file with the stored data, without writing anything. `done` counts the compared principals. */
export function useCompare(file: UsersFile) {
  const anagrafe = usePatientAnagrafe();
  const [done, setDone] = useState(0);
  const mutation = useMutation({
    gcTime: 0,
    mutationFn: async ({ columns, options }: { columns: ColumnMapping; options: SyncOptions }) => {
      setDone(0);
      return compare(file, { columns, options, onProgress: setDone }, { anagrafe });
    },
  });
  return { ...mutation, done };
}

interface CompareInput {
  readonly columns: ColumnMapping;
  readonly options: SyncOptions;
  readonly onProgress: (done: number) => void;
}

async function compare(
  file: UsersFile,
  { columns, options, onProgress }: CompareInput,
  connection: ImportConnection,
): Promise<Comparison> {
  const reading = {
    columns,
    principal: null,
    generatesPasswords: true,
    invites: options.invites,
    similarRows: new Set<number>(),
  };
  // A row that cannot be read is an error of the file, like any other row that cannot be used.
  const unreadable = file.rows.flatMap(({ number, line, error }): ImportRow[] =>
    error ? [{ kind: 'invalid', number, line, source: null, errors: [error], text: null }] : [],
  );
  const rows = [...readRows(file.rows, file, reading), ...unreadable];
  const content = {
    layout: file.layout,
    columns: mappedColumns(file.names, columns),
    [Symbol.iterator]: () => rows[Symbol.iterator](),
  };
  const { clearEmpty, isPartial, allowsSimilar } = options;
  const read = { clearEmpty, generate: null, invite: options.invites };
  const { records, errors, warnings, unused } = await readSyncFile(content, read, connection);
  const missing = errors.length > 0 ? 'keep' : options.missing;
  const names = namesByField(content.columns);
  const rules = { missing, moves: 'allow', similar: allowsSimilar ? 'allow' : 'refuse' } as const;
  const plan = await planSync(records, { rules, isPartial, onProgress }, connection);
  const moves = await findMoves(plan.calls, connection);
  const unusable = [...errors, ...plan.conflicts];
  // With such errors all errors of the file are reported at once, and nothing can be applied.
  const problems = unusable.length > 0 ? [...unusable, ...plan.failed, ...plan.leftOut] : [];
  const { missingPrincipals } = options;
  const gone = missingPrincipals === 'keep' ? null : await findMissingPrincipals(plan.calls, connection);
  if (missingPrincipals === 'disable' && !gone) throw new MissingUnknownError();
  const disables = missingPrincipals === 'disable' ? (gone?.missing ?? []) : [];
  const losses = { calls: plan.calls, moves, disables, gone };
  const counts = countsOf(plan.calls);
  const removals = counts.UsersDisabled + counts.UsersDeleted + disables.length;
  return {
    plan,
    rules,
    names,
    problems: problems.toSorted((one, other) => one.line - other.line),
    totals: totalsOfPlan(plan, { disabled: disables.length }),
    changes: [...changesOfPlan(plan, moves), ...changesOfPrincipals(gone, disables)],
    gone,
    disables,
    disabledUsers: await findDisabled(records, connection),
    size: changesIn(counts) + disables.length,
    removals,
    losses: removals + counts.UsersMoved,
    hasManyLosses: (await findExcessiveLosses(losses, removalLimit, connection.anagrafe)) !== null,
    warnings,
    unused,
    invites: options.invites,
    run: newRun(),
  };
}

function changesOfPlan({ calls, failed, leftOut: users }: SyncPlan, moves: Moves): ShownChange[] {
  const planned = calls
    .flatMap(({ records }) => records)
    .flatMap((record, at) =>
      changesOf(record).map(({ hidden, record: sent, ...change }, nth): ShownChange => {
        const source = change.action === 'move' ? sourceOf(moves, change.username ?? '') : undefined;
        const from = source && (source.Denomination ?? source.ExternalKey ?? `#${source.IRID}`);
        return { ...change, key: `${at} ${nth}`, principal: nameOf(sent), hidden, ...(from && { from }) };
      }),
    );
  const refused = [...failed, ...users].map(({ line, errors }, at): ShownChange => {
    return { ...leftOut, key: `failed ${at}`, principal: null, line, errors };
  });
  return [...planned, ...refused];
}

const leftOut = { principalId: null, username: null, action: 'fail', fields: [] } as const;

function changesOfPrincipals(
  gone: MissingPrincipals | null,
  disables: readonly MissingPrincipal[],
): ShownChange[] {
  const action = disables.length > 0 ? 'disable' : 'keep';
  return (gone?.missing ?? []).map(({ ID, ExternalKey, Denomination }) => ({
    key: `missing ${ID}`,
    principal: Denomination ?? ExternalKey ?? `#${ID}`,
    principalId: ID,
    username: null,
    action,
    fields: [],
    isMissing: true,
  }));
}

/** The rows and principals that were not applied. */
export interface SyncResult {
  readonly failed: readonly RowProblem[];
  /** The records of these problems. */
  readonly failedRecords: readonly SyncRecord[];
  readonly kept: readonly { readonly principal: MissingPrincipal; readonly message: string }[];
  readonly jobIds: readonly string[];
}

/** Applies exactly the changes of a comparison, one call after the other. `job` is the latest state of the present job. */
export function useApply() {
  const anagrafe = usePatientAnagrafe();
  const queries = useQueryClient();
  const [job, setJob] = useState<Job | null>(null);
  const mutation = useMutation({
    gcTime: 0,
    mutationFn: (comparison: Comparison): Promise<SyncResult> =>
      retryAfterSignIn(queries, (signal) =>
        apply(comparison, { anagrafe: anagrafe.ofRun(comparison.run), signal }, setJob),
      ),
    onSettled: () => {
      for (const queryKey of [principalsKey, ['runs']]) void queries.invalidateQueries({ queryKey });
    },
  });
  return { ...mutation, job };
}

async function apply(
  { plan, rules, disables, run }: Comparison,
  { anagrafe, signal }: ImportConnection,
  onProgress: (job: Job) => void,
): Promise<SyncResult> {
  const name = `sync-${run}`;
  const refused = new Set<SyncRecord>(plan.failedRecords);
  const jobIds: string[] = [];
  const results = await applyPlan(plan.calls, {
    anagrafe,
    signal,
    rules,
    name,
    isSequential: true,
    wait(id) {
      jobIds.push(id);
      return anagrafe.jobs.wait(id, { signal, onProgress });
    },
  });
  const failed = results.filter(({ planned }) => !refused.has(planned));
  return {
    failed: failed.flatMap(({ planned, errors }) => problemsOfRecord(planned, errors)),
    failedRecords: failed.map(({ planned }) => planned),
    kept: await disablePrincipals(disables, name, { anagrafe, signal }),
    jobIds,
  };
}

/** Returns the problems of all rows that were not applied, by line. */
export function problemsOf(
  { plan }: Comparison,
  { failed, failedRecords }: SyncResult,
  message: string,
): readonly RowProblem[] {
  const problems = [...plan.failed, ...plan.leftOut, ...failed];
  const all = problemsOfAllRows(problems, [...plan.failedRecords, ...failedRecords], message);
  return all.toSorted((one, other) => one.line - other.line);
}
