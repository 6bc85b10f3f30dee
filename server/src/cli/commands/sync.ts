import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { newRun } from '@anagrafe/client';
import {
  changesIn,
  countsOf,
  disablePrincipals,
  findAliases,
  findDisabled,
  findMoves,
  type ImportRow,
  type MissingPolicy,
  type MissingPrincipalsPolicy,
  namesByField,
  type PlannedCall,
  problemsOfAllRows,
  type RowProblem,
  readSyncFile,
  registeredRows,
  rowUnit,
  type WriteRules,
} from '@anagrafe/importer';
import {
  generatePassword,
  openTaskFile,
  requireEmpty,
  writePasswords,
  writeProblems,
} from '@anagrafe/importer/node';
import { Command, Option } from 'commander';
import { ConfigError } from '../../settings/config.ts';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import {
  fileTitle,
  printColumns,
  printLeftOut,
  printUnusedColumns,
  printWarnings,
  shortPath,
  undoCommandFor,
} from '../file-report.ts';
import {
  type FileOptions,
  fileOptionsOf,
  pathBeside,
  similarOption,
  withFileOptions,
} from '../import-file.ts';
import { commandFor } from '../import-report.ts';
import { counted } from '../output/format.ts';
import { exitCodes, print, tell } from '../output/output.ts';
import { confirm } from '../output/prompt.ts';
import {
  countsText,
  goneLines,
  limitGone,
  limitMoves,
  limitRemovals,
  planLines,
  printDisabled,
  printFailedRecords,
  printGone,
  printLeftOutUsers,
  printPlan,
  printProblems,
  unusableFile,
} from '../sync-report.ts';
import { apply, compare, findGone } from '../sync-steps.ts';

interface SyncOptions extends ConnectionOptions, FileOptions {
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
    .addOption(similarOption())
    .option(
      '--partial',
      'apply a principal without the users that have errors; otherwise it is left out with all of its users',
    )
    .option(
      '--generate-passwords <file>',
      'generate the passwords of new users that have none, into this file',
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
--missing-principals disable. A user that exists under another principal is moved, with its ID and password, and its
sessions end. Passwords of existing users stay; new users need a Password or PasswordHash, or --generate-passwords. A
principal fails if it is new and looks like another one: see "import". With --partial, a principal is applied without
the users that have errors; these are listed, stay as they are, and are not missing. A disabled user that the file has
stays disabled: to enable it, add a column State with the value active, or use "anagrafe user enable".
The command prints how it reads the columns and what looks wrong in the values, as "import" does. It compares the whole
file with the stored data, prints the changes, and applies exactly these, after a question or with --yes. If the data
changes in between, the part of the file that it concerns is refused; run the command again. With --yes, a file that
would disable, delete or move more than 20 users, and more than ANAGRAFE_MAX_REMOVALS percent (a setting of this
command, 10 by default) of the users of its principals, or of one of them, is refused.
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
  const run = newRun();
  const connection = await reach(options);
  const { config, url } = connection;
  const anagrafe = connection.anagrafe.ofRun(run);
  const passwordsPath = options.generatePasswords === undefined ? null : resolve(options.generatePasswords);
  if (passwordsPath !== null) await requireEmpty(passwordsPath);
  const task = {
    path,
    ...(await fileOptionsOf(options)),
    purpose: 'register',
    existing: 'update',
    principal: null,
    passwordsPath,
    similar: options.similar,
    moves: 'allow',
    withoutKey: 'join',
  } as const;
  const file = await openTaskFile(task);
  const unit = rowUnit(file.layout);
  tell(`Comparing ${fileTitle(path, file)} with ${url}`);
  printColumns(file);
  const seed = randomBytes(32);
  const generate = passwordsPath === null ? null : ({ number }: ImportRow) => generatePassword(seed, number);
  const { clearEmpty, missing, similar } = options;
  const read = await readSyncFile(file, {
    clearEmpty,
    generate,
    findAliases: (some) => findAliases(some, { anagrafe }),
  });
  const { records, errors, rows, warnings, unused } = read;
  printUnusedColumns(unused);
  printWarnings(warnings, unit, file.columns);
  printLeftOut(file);
  if (rows === 0) throw new ConfigError(`${path} has no rows. Nothing was changed.`);
  tell(`${counted(rows, 'row')}, ${counted(records.length, 'principal')}`);

  // A file with errors is compared too, to report all of its errors at once. The rows left out are not missing.
  const rules = { missing: errors.length > 0 ? 'keep' : missing, similar, moves: 'allow' } as const;
  const names = namesByField(file.columns);
  const plan = await compare(records, { rules, isPartial: options.partial ?? false, names }, anagrafe);
  const unusable = [...errors, ...plan.conflicts];
  if (unusable.length > 0) throw unusableFile(path, [...unusable, ...plan.failed, ...plan.leftOut], unit);
  const counts = countsOf(plan.calls);
  const moves = await findMoves(plan.calls, { anagrafe });
  const disabled = await findDisabled(records, { anagrafe });
  const gone = await findGone(plan, options.missingPrincipals, anagrafe);
  const disables = options.missingPrincipals === 'disable' ? gone.missing : [];
  const lines = [...planLines(plan, moves), ...goneLines(disables)];
  if (!options.json) await printPlan(lines, options);
  printProblems(plan.failed, unit);
  printProblems(plan.leftOut, unit);
  tell(countsText(counts));
  printDisabled(disabled);
  printFailedRecords(plan, unit);
  printLeftOutUsers(plan, unit);
  printGone(gone, options);

  const failed = [...plan.failed];
  const written: { failedFile: string | null; passwordsFile: string | null } = {
    failedFile: null,
    passwordsFile: null,
  };
  let applied = false;
  if (changesIn(counts) + disables.length === 0) tell('Nothing to change.');
  else if (options.dryRun) tell('Nothing was changed.');
  else if (options.yes || (await confirm('Apply these changes?'))) {
    if (options.yes) {
      limitRemovals(plan, config.MAX_REMOVALS);
      await limitMoves(moves, config.MAX_REMOVALS, anagrafe);
      limitGone(disables, gone, config.MAX_REMOVALS);
    }
    const registeredBy = (calls: readonly PlannedCall[]) =>
      calls.flatMap((call) => call.records).flatMap(registeredRows);
    const registered = registeredBy(plan.calls);
    const separator = file.layout.separator || ',';
    // Written before the users exist, so that an interruption loses no password.
    if (passwordsPath !== null) await writePasswords(passwordsPath, registered, read.passwords, separator);
    const onOutdated = async (applied: readonly PlannedCall[]) => {
      if (passwordsPath === null) return;
      const users = registeredBy(applied).filter(({ number }) => read.passwords.has(number));
      await writePasswords(passwordsPath, users, read.passwords, separator);
      tell(
        users.length > 0
          ? `The generated passwords of the part that was applied are in ${shortPath(passwordsPath)}. Move this file before you run the command again.`
          : `No generated password is in use. ${shortPath(passwordsPath)} was removed.`,
      );
    };
    const { problems, records: refused } = await apply(plan, { rules, run, names, onOutdated }, anagrafe);
    printProblems(problems, unit);
    const kept = await disablePrincipals(disables, `sync-${run}`, { anagrafe });
    for (const { principal, message } of kept) tell(`  Principal ${principal.ID}: ${message}`);
    if (kept.length > 0) process.exitCode = exitCodes.someFailed;
    tell(problems.length === 0 ? 'Applied.' : 'Applied, except for these records.');
    if (problems.length > 0) process.exitCode = exitCodes.someFailed;
    failed.push(...problems);
    applied = true;
    const numbers = new Set(refused.flatMap(({ members }) => members).map(({ row }) => row.number));
    const users = registered.filter(({ number }) => !numbers.has(number) && read.passwords.has(number));
    if (passwordsPath !== null) await writePasswords(passwordsPath, users, read.passwords, separator);
    if (passwordsPath !== null && users.length > 0) {
      written.passwordsFile = passwordsPath;
      tell(`The generated passwords are in ${shortPath(passwordsPath)}. Keep this file safe.`);
    }
    const left = problemsOfAllRows(
      [...failed, ...plan.leftOut],
      [...plan.failedRecords, ...refused],
      'The principal was left out because another of its rows has an error.',
    );
    if (left.length > 0) {
      written.failedFile = await writeProblems(pathBeside(path, 'failed'), await openTaskFile(task), left);
      tell(
        `The rows with errors are in ${shortPath(written.failedFile)}. Correct them, then run: ${commandFor(written.failedFile, task, options)}`,
      );
    }
    tell(`To undo this synchronisation: ${undoCommandFor(run, options)}`);
  } else tell('Nothing was changed.');
  if (options.json)
    print(
      JSON.stringify({
        run,
        rows,
        ...counts,
        applied,
        changes: lines,
        missingPrincipals: gone.missing,
        failed: failed.map(problemText),
        leftOutUsers: plan.leftOut.map(problemText),
        ...written,
        disabledUsers: disabled,
        warnings: warnings.summaries,
        unusedColumns: unused,
        leftOut: file.leftOut,
      }),
    );
}

function problemText({ line, message }: RowProblem) {
  return { line, message };
}
