import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { newRun } from '@anagrafe/client';
import {
  type AppliedSync,
  type Comparison,
  disablePrincipals,
  findExcessiveLosses,
  type ImportConnection,
  type ImportFile,
  type ImportRow,
  type MissingPolicy,
  type MissingPrincipalsPolicy,
  problemsOfAllRows,
  type RowProblem,
  readSyncFile,
  rowUnit,
  type SyncFile,
  type SyncTotals,
  totalsOfPlan,
  type WriteRules,
} from '@anagrafe/importer';
import { generatePassword, openTaskFile, requireEmpty, writeProblems } from '@anagrafe/importer/node';
import { removalsAlwaysAllowed } from '../records/check/plan.ts';
import { ConfigError } from '../settings/config.ts';
import { type ConnectionOptions, reach } from './connection.ts';
import {
  fileTitle,
  printColumns,
  printLeftOut,
  printUnusedColumns,
  printWarnings,
  shortPath,
  undoCommandFor,
} from './file-report.ts';
import {
  type FileOptions,
  fileOptionsOf,
  type InviteFileOptions,
  pathBeside,
  requireCodesFile,
} from './import-file.ts';
import { commandFor } from './import-report.ts';
import { printTotals } from './import-totals.ts';
import { interruptibly, tellOpenJobs } from './interruption.ts';
import { counted } from './output/format.ts';
import { exitCodes, print, tell } from './output/output.ts';
import { confirm } from './output/prompt.ts';
import {
  planLines,
  printDisabled,
  printFailedRecords,
  printGone,
  printLeftOutUsers,
  printPlan,
  printProblems,
  problemText,
  tooManyLosses,
  unusableFile,
} from './sync-report.ts';
import { SyncSecrets } from './sync-secrets.ts';
import { apply, compare } from './sync-steps.ts';

interface SyncOptions extends ConnectionOptions, FileOptions, InviteFileOptions {
  readonly missing: MissingPolicy;
  readonly missingPrincipals: MissingPrincipalsPolicy;
  readonly similar: WriteRules['similar'];
  readonly clearEmpty: boolean;
  readonly partial?: boolean;
  readonly generatePasswords?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** Compares a file with the stored data, prints the changes, and applies them after a question. Sets the exit code. */
export async function syncFile(path: string, options: SyncOptions): Promise<void> {
  requireCodesFile(options);
  const run = newRun();
  const connection = await reach(options);
  const anagrafe = connection.anagrafe.ofRun(run);
  const task = await taskOf(path, options);
  for (const created of [task.passwordsPath, task.codesPath])
    if (created !== null) await requireEmpty(created);
  const file = await openTaskFile(task);
  tell(`Comparing ${fileTitle(path, file)} with ${connection.url}`);
  const compared = await interruptibly(
    (signal) => compareFile(path, file, options, { anagrafe, signal }),
    () => tell('Interrupted. Nothing was changed.'),
  );
  const { comparison, rows, passwords, warnings, unused } = compared;
  const { plan, gone, disabledUsers, totals: planned } = comparison;
  const lines = planLines(comparison);
  const unit = rowUnit(file.layout);
  if (!options.json) await printPlan(lines, options);
  printProblems(plan.failed, file);
  printProblems(plan.leftOut, file);
  printTotals(planned, { dryRun: true });
  printDisabled(disabledUsers);
  printFailedRecords(plan, unit);
  printLeftOutUsers(plan, unit);
  printGone(comparison, options);

  const secrets = new SyncSecrets(task, plan, passwords, file.layout.separator || ',', connection);
  let result: Result | null = null;
  const hasChanges = comparison.size > 0;
  if (!hasChanges) tell('Nothing to change.');
  else if (!options.dryRun && (options.yes || (await confirm('Apply these changes?'))))
    result = await applyChanges(
      comparison,
      { file, options, run, secrets, maxPercent: connection.config.MAX_REMOVALS },
      anagrafe,
    );
  else tell('Nothing was changed.');

  const failed = [...plan.failed, ...(result?.failed ?? [])];
  const left = problemsOfAllRows(
    [...failed, ...plan.leftOut],
    [...plan.failedRecords, ...(result?.failedRecords ?? [])],
    'The principal was left out because another of its rows has an error.',
  );
  let failedFile: string | null = null;
  if (left.length > 0 && !options.dryRun && (result || !hasChanges)) {
    failedFile = await writeProblems(pathBeside(path, 'failed'), await openTaskFile(task), left);
    tell(
      `The rows with errors are in ${shortPath(failedFile)}. Correct them, then run: ${commandFor(failedFile, task, options)}`,
    );
  }
  if (result) tell(`To undo this synchronisation: ${undoCommandFor(run, options)}`);
  const shown = (problem: RowProblem) => ({ line: problem.line, message: problemText(problem, file) });
  if (options.json)
    print(
      JSON.stringify({
        run,
        rows,
        ...planned,
        applied: result !== null,
        result: result?.totals ?? null,
        changes: lines,
        missingPrincipals: gone?.missing ?? [],
        failed: failed.map(shown),
        leftOutUsers: plan.leftOut.map(shown),
        failedFile,
        ...secrets.files,
        disabledUsers,
        warnings: warnings.summaries,
        unusedColumns: unused,
        leftOut: file.leftOut,
      }),
    );
}

async function taskOf(path: string, options: SyncOptions) {
  const { generatePasswords, codes, invite = null, similar } = options;
  return {
    path,
    ...(await fileOptionsOf(options)),
    purpose: 'register',
    existing: 'update',
    principal: null,
    passwordsPath: generatePasswords === undefined ? null : resolve(generatePasswords),
    invite,
    codesPath: codes === undefined ? null : resolve(codes),
    similar,
    moves: 'allow',
    withoutKey: 'join',
  } as const;
}

/** Reads a file, prints what is worth a look, and plans its changes. */
async function compareFile(
  path: string,
  file: ImportFile,
  options: SyncOptions,
  connection: ImportConnection,
): Promise<SyncFile & { readonly comparison: Comparison }> {
  const unit = rowUnit(file.layout);
  printColumns(file);
  const seed = randomBytes(32);
  const { clearEmpty, missing, missingPrincipals, similar, partial = false, invite = null } = options;
  const generate =
    options.generatePasswords === undefined
      ? null
      : ({ number }: ImportRow) => generatePassword(seed, number);
  const read = await readSyncFile(file, { clearEmpty, generate, invite }, connection);
  const { records, rows, warnings, unused } = read;
  printUnusedColumns(unused);
  printWarnings(warnings, unit, file.columns);
  printLeftOut(file);
  if (rows === 0) throw new ConfigError(`${path} has no rows. Nothing was changed.`);
  tell(`${counted(rows, 'row')}, ${counted(records.length, 'principal')}`);

  const rules = { missing, missingPrincipals, similar, isPartial: partial };
  const comparison = await compare(read, rules, connection);
  if (comparison.problems.length > 0) throw unusableFile(path, comparison.problems, file);
  return { ...read, comparison };
}

interface Result extends AppliedSync {
  readonly totals: SyncTotals;
}

interface ApplyOptions {
  readonly file: ImportFile;
  readonly options: SyncOptions;
  readonly run: string;
  readonly secrets: SyncSecrets;
  /** The largest share of removals without a confirmation. */
  readonly maxPercent: number;
}

/** Applies the changes of a comparison, and prints the result. */
async function applyChanges(
  comparison: Comparison,
  { file, options, run, secrets, maxPercent }: ApplyOptions,
  anagrafe: ImportConnection['anagrafe'],
): Promise<Result> {
  const { plan, disables } = comparison;
  if (options.yes) {
    const limit = { maxPercent, alwaysAllowed: removalsAlwaysAllowed };
    const losses = await findExcessiveLosses(comparison, limit, anagrafe);
    if (losses) throw tooManyLosses(losses, maxPercent);
  }
  await secrets.create();
  const jobs: string[] = [];
  const work = async (signal: AbortSignal): Promise<Result> => {
    const connection = { anagrafe, signal };
    const name = `sync-${run}`;
    const applied = await apply(
      comparison,
      { name, onJob: (id) => jobs.push(id), onOutdated: (calls) => secrets.keep(calls, jobs) },
      connection,
    );
    const { failed, failedRecords } = applied;
    printProblems(failed, file);
    await secrets.complete(failedRecords, jobs);
    const kept = await disablePrincipals(disables, name, connection);
    for (const { principal, message } of kept) tell(`  Principal ${principal.ID}: ${message}`);
    const isComplete = failed.length + kept.length === 0;
    tell(isComplete ? 'Applied.' : 'Applied, except for these records.');
    if (!isComplete) process.exitCode = exitCodes.someFailed;
    const totals = totalsOfPlan(plan, { disabled: disables.length - kept.length, refused: failedRecords });
    printTotals(totals);
    return { ...applied, totals };
  };
  return interruptibly(work, async () => {
    tell('Interrupted. Some of the changes may have been applied.');
    await tellOpenJobs(jobs, anagrafe, options);
    secrets.explain(jobs, options);
    tell('To see the remaining changes, run the same command again.');
    tell(`To undo those that were applied: ${undoCommandFor(run, options)}`);
  });
}
