import { type Anagrafe, ApiError, newIdempotencyKey } from '@anagrafe/client';
import {
  applyPlan,
  changesIn,
  countsOf,
  disablePrincipals,
  findDisabled,
  findMissingPrincipals,
  type MissingPolicy,
  type MissingPrincipals,
  type MissingPrincipalsPolicy,
  planSync,
  problemsOfRecord,
  type RowProblem,
  readSyncFile,
  rowUnit,
  type SyncPlan,
  type SyncRecord,
} from '@anagrafe/importer';
import { openTaskFile } from '@anagrafe/importer/node';
import { Command, Option } from 'commander';
import { ConfigError } from '../../settings/config.ts';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import { fileTitle, printColumns, printLeftOut, printUnusedColumns, printWarnings } from '../file-report.ts';
import { type FileOptions, fileOptionsOf, withFileOptions } from '../import-file.ts';
import { counted } from '../output/format.ts';
import { LiveLine } from '../output/live-line.ts';
import { exitCodes, print, tell } from '../output/output.ts';
import { confirm } from '../output/prompt.ts';
import {
  countsText,
  goneLines,
  limitGone,
  limitRemovals,
  outdatedPlan,
  planLines,
  printDisabled,
  printFailedRecords,
  printGone,
  printPlan,
  printProblems,
  unusableFile,
} from '../sync-report.ts';

interface SyncOptions extends ConnectionOptions, FileOptions {
  readonly missing: MissingPolicy;
  readonly missingPrincipals: MissingPrincipalsPolicy;
  readonly clearEmpty: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

export function syncCommand(): Command {
  const command = new Command('sync')
    .argument('<file>', 'path of the file: the users of some principals, one row each')
    .description('make principals and their users equal to a file, after showing what would change')
    .addOption(
      new Option(
        '--missing <action>',
        'what happens to users of these principals that the file does not have',
      )
        .choices(['keep', 'disable', 'delete'])
        .default('keep'),
    )
    .addOption(
      new Option(
        '--missing-principals <action>',
        'what happens to active principals that the file does not have: their number is reported, or they are disabled',
      )
        .choices(['keep', 'report', 'disable'])
        .default('report'),
    )
    .option('--clear-empty', 'clear a field if its cell is empty; otherwise it stays', false)
    .option('--dry-run', 'show the changes and stop')
    .option('--yes', 'apply the changes without asking')
    .option('--all', 'show all changes, not only the first 200');
  withFileOptions(command).option('--json', 'print the changes and the result as JSON');
  return withConnection(command)
    .addHelpText(
      'after',
      `
The columns are those of "import". A row names its principal by ExternalKey or ID; if it has both, they must belong to
the same principal. Principals that the file does not have stay as they are, and are listed, unless you use
--missing-principals disable. Passwords of existing users stay; new
users need a Password or PasswordHash. A disabled user that the file has stays disabled: to enable it, add a column
State with the value active, or use "anagrafe user enable".
The command prints how it reads the columns and what looks wrong in the values, as "import" does. It compares the whole
file with the stored data, prints the changes, and applies exactly these, after a question or with --yes. If the data
changes in between, the part of the file that it concerns is refused; run the command again. With --yes, a file that
would disable or delete more than 20 users, and more than ANAGRAFE_MAX_REMOVALS percent (a setting of this command, 10
by default) of the users of its principals, or of one of them, is refused.
The exit code is 0 if all records were applied, 3 if some failed, 1 after another error, 130 after Ctrl-C.

Examples:
  anagrafe sync customers.csv --dry-run
  anagrafe sync customers.csv --missing disable
  anagrafe sync customers.csv --missing disable --missing-principals disable
  anagrafe sync customers.csv --missing delete --clear-empty --yes`,
    )
    .action(sync);
}

async function sync(path: string, options: SyncOptions): Promise<void> {
  const { anagrafe, config, url } = await reach(options);
  const file = await openTaskFile({
    path,
    ...(await fileOptionsOf(options)),
    purpose: 'register',
    existing: 'update',
    principal: null,
    passwordsPath: null,
  });
  const unit = rowUnit(file.layout);
  tell(`Comparing ${fileTitle(path, file)} with ${url}`);
  printColumns(file);
  const { records, errors, rows, warnings, unused } = await readSyncFile(file, options);
  printUnusedColumns(unused);
  printWarnings(warnings, unit);
  printLeftOut(file);
  if (rows === 0) throw new ConfigError(`${path} has no rows. Nothing was changed.`);
  tell(`${counted(rows, 'row')}, ${counted(records.length, 'principal')}`);

  // A file with errors is compared too, to report all of its errors at once. The rows left out are not missing.
  const plan = await compare(records, errors.length > 0 ? 'keep' : options.missing, anagrafe);
  const unusable = [...errors, ...plan.conflicts];
  if (unusable.length > 0) throw unusableFile(path, [...unusable, ...plan.failed], unit);
  const counts = countsOf(plan.calls);
  const lines = planLines(plan);
  const disabled = await findDisabled(records, { anagrafe });
  const gone = await findGone(records, options.missingPrincipals, anagrafe);
  const disables = options.missingPrincipals === 'disable' ? gone.missing : [];
  if (!options.json) await printPlan([...lines, ...goneLines(disables)], options);
  printProblems(plan.failed, unit);
  tell(countsText(counts));
  printDisabled(disabled);
  printFailedRecords(plan, unit);
  printGone(gone, options);

  const failed = [...plan.failed];
  let applied = false;
  if (changesIn(counts) + disables.length === 0) tell('Nothing to change.');
  else if (options.dryRun) tell('Nothing was changed.');
  else if (options.yes || (await confirm('Apply these changes?'))) {
    if (options.yes) {
      limitRemovals(plan, config.MAX_REMOVALS);
      limitGone(disables, gone, config.MAX_REMOVALS);
    }
    const problems = await apply(plan, options.missing, anagrafe);
    printProblems(problems, unit);
    const kept = await disablePrincipals(disables, `sync-${newIdempotencyKey()}`, { anagrafe });
    for (const { principal, message } of kept) tell(`  Principal ${principal.ID}: ${message}`);
    if (kept.length > 0) process.exitCode = exitCodes.someFailed;
    tell(problems.length === 0 ? 'Applied.' : 'Applied, except for these records.');
    if (problems.length > 0) process.exitCode = exitCodes.someFailed;
    failed.push(...problems);
    applied = true;
  } else tell('Nothing was changed.');
  const found = {
    disabledUsers: disabled,
    warnings: warnings.summaries,
    unusedColumns: unused,
    leftOut: file.leftOut,
  };
  if (options.json)
    print(
      JSON.stringify({
        rows,
        ...counts,
        applied,
        changes: [...lines, ...goneLines(disables)],
        missingPrincipals: gone.missing,
        failed,
        ...found,
      }),
    );
}

async function findGone(
  records: readonly SyncRecord[],
  policy: MissingPrincipalsPolicy,
  anagrafe: Anagrafe,
): Promise<MissingPrincipals> {
  const nothing = { missing: [], principals: 0, users: 0 };
  if (policy === 'keep') return nothing;
  const found = await findMissingPrincipals(records, { anagrafe });
  if (found) return found;
  const why =
    'Missing principals cannot be found: the API client needs the scope sync:read, or too many are missing.';
  if (policy === 'disable') throw new ConfigError(`${why} Nothing was changed.`);
  tell(why);
  return nothing;
}

async function compare(
  records: readonly SyncRecord[],
  missing: MissingPolicy,
  anagrafe: Anagrafe,
): Promise<SyncPlan> {
  const line = new LiveLine();
  const about = { state: 'comparing', total: records.length, unit: 'principals', failed: 0 };
  return planSync(records, missing, { anagrafe }, (done) => line.show({ ...about, done })).finally(() =>
    line.end(),
  );
}

/** Applies a plan, one call after the other. Returns the errors of the records that the plan would have applied. */
async function apply(plan: SyncPlan, missing: MissingPolicy, anagrafe: Anagrafe): Promise<RowProblem[]> {
  const line = new LiveLine();
  let done = 0;
  const failed = await applyPlan(plan.calls, {
    anagrafe,
    missing,
    name: `sync-${newIdempotencyKey()}`,
    isSequential: true,
    async wait(id) {
      const job = await anagrafe.jobs.wait(id, {
        pollMs: 500,
        onProgress: ({ RecordsDone: done, Records: total, RecordsFailed }) =>
          line.show({ state: 'applying', done, total, unit: 'principals', failed: RecordsFailed }),
      });
      line.end();
      done++;
      return job;
    },
  }).catch((error) => {
    throw error instanceof ApiError && error.code === 'PLAN_OUTDATED' ? outdatedPlan(done) : error;
  });
  return failed.flatMap(({ planned, errors }) =>
    plan.failedRecords.includes(planned) ? [] : problemsOfRecord(planned, errors),
  );
}
