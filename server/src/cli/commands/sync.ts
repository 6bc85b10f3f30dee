import { addCounts, noCounts, type RowUnit, rowUnit } from '@anagrafe/importer';
import { openTaskFile } from '@anagrafe/importer/node';
import { Command, Option } from 'commander';
import { ConfigError } from '../../settings/config.ts';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import { fileTitle, lineList, printColumns, printUnusedColumns, printWarnings } from '../file-report.ts';
import { type FileOptions, fileOptionsOf, withFileOptions } from '../import-file.ts';
import { counted, grouped } from '../output/format.ts';
import { exitCodes, print, tell } from '../output/output.ts';
import { confirm } from '../output/prompt.ts';
import { findDisabled, printDisabled } from '../sync-disabled.ts';
import { type RowProblem, readSyncFile } from '../sync-file.ts';
import { changesIn, countsText, printPlan } from '../sync-plan.ts';
import { applyParts, inParts, limitRemovals, planParts, type SyncRules } from '../sync-run.ts';

interface SyncOptions extends ConnectionOptions, SyncRules, FileOptions {
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
the same principal. Principals that the file does not have stay as they are. Passwords of existing users stay; new
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
  if (rows === 0) throw new ConfigError(`${path} has no rows. Nothing was changed.`);
  tell(`${counted(rows, 'row')}, ${counted(records.length, 'principal')}`);

  // A file with errors is compared too, to report all of its errors at once. The rows left out are not missing.
  const rules: SyncRules = errors.length > 0 ? { missing: 'keep' } : options;
  const planned = records.length > 0 ? await planParts(inParts(records), anagrafe, rules) : [];
  const failed = planned.flatMap((part) => part.failed);
  const unusable = [...errors, ...planned.flatMap(({ conflicts }) => conflicts)];
  if (unusable.length > 0) throw unusableFile(path, [...unusable, ...failed], unit);
  const counts = planned.reduce((sum, part) => addCounts(sum, part.counts), noCounts);
  const lines = planned.flatMap((part) => part.lines);
  const disabled = await findDisabled(records, anagrafe);
  if (!options.json) await printPlan(lines, options);
  for (const problem of failed) tell(`  ${unit} ${problem.line}: ${problem.message}`);
  const changes = changesIn(counts);
  tell(countsText(counts));
  printDisabled(disabled);
  printFailedRecords(planned, unit);

  let applied = false;
  if (changes === 0) tell('Nothing to change.');
  else if (options.dryRun) tell('Nothing was changed.');
  else if (options.yes || (await confirm('Apply these changes?'))) {
    if (options.yes) limitRemovals(planned, config.MAX_REMOVALS);
    failed.push(...(await applyParts(planned, anagrafe, options, unit)));
    applied = true;
  } else tell('Nothing was changed.');
  const found = { disabledUsers: disabled, warnings: warnings.summaries, unusedColumns: unused };
  if (options.json) print(JSON.stringify({ rows, ...counts, applied, changes: lines, failed, ...found }));
}

/** Maximum number of lines in a message about several rows. */
const linesMax = 20;

function unusableFile(path: string, errors: readonly RowProblem[], unit: RowUnit): ConfigError {
  const sorted = errors.toSorted((one, other) => one.line - other.line);
  for (const { line, message } of sorted.slice(0, linesMax)) tell(`  ${unit} ${line}: ${message}`);
  if (errors.length > linesMax) tell(`  … and ${grouped(errors.length - linesMax)} more`);
  const count = new Set(errors.map(({ line }) => line)).size;
  // A row that is left out would count as missing, and its user could be deleted.
  return new ConfigError(
    `${counted(count, 'row')} of ${path} cannot be used. Nothing was changed. Correct the file, then run the command again.`,
  );
}

function printFailedRecords(planned: Awaited<ReturnType<typeof planParts>>, unit: RowUnit): void {
  const count = planned.reduce((sum, { counts }) => sum + counts.RecordsFailed, 0);
  if (count === 0) return;
  process.exitCode = exitCodes.someFailed;
  const lines = planned.flatMap(({ failedLines }) => failedLines).sort((one, other) => one - other);
  const shown = lineList(lines.slice(0, linesMax), unit, lines.length);
  tell(
    count === 1
      ? `1 principal has errors and is left out with all of its users (${shown}).`
      : `${grouped(count)} principals have errors and are left out with all of their users (${shown}).`,
  );
}
