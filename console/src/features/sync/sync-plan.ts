import { type Job, newRun } from '@anagrafe/client';
import {
  type AppliedSync,
  applySync,
  type ColumnMapping,
  type Comparison,
  changesOf,
  compareSync,
  countsOf,
  disablePrincipals,
  findExcessiveLosses,
  type ImportConnection,
  type ImportRow,
  type MissingPrincipal,
  type MissingPrincipals,
  namesByField,
  problemsOfAllRows,
  type RowProblem,
  readSyncFile,
  type SyncFile,
  sourceOf,
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

/** The planned changes of a synchronisation, as they are shown. */
export interface ShownComparison extends Comparison, Pick<SyncFile, 'warnings' | 'unused'> {
  /** The names of the columns of the file, for errors. */
  readonly names: ReturnType<typeof namesByField>;
  readonly changes: readonly ShownChange[];
  /** The number of users that would be disabled, deleted or moved, and of principals that would be disabled. */
  readonly losses: number;
  /** The number of users that would be disabled or deleted, and of principals that would be disabled. */
  readonly removals: number;
  /** True if the command line would refuse so many of them without a confirmation. */
  readonly hasManyLosses: boolean;
  /** How new users are invited; null if they are not. */
  readonly invites: SyncOptions['invites'];
  /** The run that the calls are a part of. A retry after an error continues it. */
  readonly run: string;
}

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
  source: UsersFile,
  { columns, options, onProgress }: CompareInput,
  connection: ImportConnection,
): Promise<ShownComparison> {
  const reading = {
    columns,
    principal: null,
    generatesPasswords: true,
    invites: options.invites,
    similarRows: new Set<number>(),
  };
  // A row that cannot be read is an error of the file, like any other row that cannot be used.
  const unreadable = source.rows.flatMap(({ number, line, error }): ImportRow[] =>
    error ? [{ kind: 'invalid', number, line, source: null, errors: [error], text: null }] : [],
  );
  const rows = [...readRows(source.rows, source, reading), ...unreadable];
  const content = {
    layout: source.layout,
    columns: mappedColumns(source.names, columns),
    [Symbol.iterator]: () => rows[Symbol.iterator](),
  };
  const { clearEmpty, isPartial, allowsSimilar } = options;
  const read = { clearEmpty, generate: null, invite: options.invites };
  const file = await readSyncFile(content, read, connection);
  const { missing, missingPrincipals } = options;
  const rules = { missing, missingPrincipals, isPartial, onProgress } as const;
  const similar = allowsSimilar ? 'allow' : 'refuse';
  const comparison = await compareSync(file, { ...rules, similar }, connection);
  const { plan, gone, disables } = comparison;
  const counts = countsOf(plan.calls);
  const removals = counts.UsersDisabled + counts.UsersDeleted + disables.length;
  return {
    ...comparison,
    names: namesByField(content.columns),
    changes: [...changesOfPlan(comparison), ...changesOfPrincipals(gone, disables)],
    removals,
    losses: removals + counts.UsersMoved,
    hasManyLosses: (await findExcessiveLosses(comparison, removalLimit, connection.anagrafe)) !== null,
    warnings: file.warnings,
    unused: file.unused,
    invites: options.invites,
    run: newRun(),
  };
}

function changesOfPlan({ plan: { calls, failed, leftOut: users }, moves }: Comparison): ShownChange[] {
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
export interface SyncResult extends AppliedSync {
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
    mutationFn: (comparison: ShownComparison): Promise<SyncResult> =>
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
  comparison: ShownComparison,
  { anagrafe, signal }: ImportConnection,
  onProgress: (job: Job) => void,
): Promise<SyncResult> {
  const name = `sync-${comparison.run}`;
  const jobIds: string[] = [];
  const wait = (id: string) => {
    jobIds.push(id);
    return anagrafe.jobs.wait(id, { signal, onProgress });
  };
  const applied = await applySync(comparison, { name, wait }, { anagrafe, signal });
  const kept = await disablePrincipals(comparison.disables, name, { anagrafe, signal });
  return { ...applied, kept, jobIds };
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
