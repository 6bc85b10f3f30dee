import { resolve } from 'node:path';
import {
  batchLimits,
  type InviteChannel,
  languages,
  type WithoutKeyPolicy,
  type WriteRules,
} from '@anagrafe/importer';
import type { ImportTask } from '@anagrafe/importer/node';
import { Command, InvalidArgumentError, Option } from 'commander';
import { ConfigError } from '../../settings/config.ts';
import { withConnection } from '../connection.ts';
import {
  type FileOptions,
  fileOptionsOf,
  pathBeside,
  requireCodesFile,
  similarOption,
  withFileOptions,
  withInviteOptions,
} from '../import-file.ts';
import type { RunOptions } from '../import-report.ts';
import { type ImportInput, importFile } from '../import-run.ts';

interface ImportOptions extends RunOptions, FileOptions {
  readonly update?: boolean;
  readonly principal?: number;
  readonly externalKey?: string;
  readonly generatePasswords?: string;
  readonly invite?: InviteChannel;
  readonly codes?: string;
  readonly failed?: string;
  readonly progress?: string;
  readonly withoutKey?: WithoutKeyPolicy;
  readonly similar?: WriteRules['similar'];
  readonly moves?: WriteRules['moves'];
}

export function importCommand(): Command {
  return withInviteOptions(fileCommand('import', 'register'))
    .description('import users from a CSV, XLSX, JSON or NDJSON file')
    .addOption(
      new Option(
        '--external-key <key>',
        'ExternalKey of the principal for rows that do not have one',
      ).conflicts('principal'),
    )
    .addOption(
      new Option(
        '--without-key <action>',
        'what happens to rows without the ID or ExternalKey of their principal: those with the same VAT number, tax code or name are joined, or each row creates a principal of its own',
      )
        .choices(['join', 'separate'])
        .default('join'),
    )
    .option(
      '--update',
      'change principals and users that differ from the file; passwords of existing users are kept',
    )
    .addOption(similarOption())
    .addOption(
      new Option(
        '--moves <action>',
        'with --update: what happens to users that exist under another principal: their rows fail, or they are moved',
      )
        .choices(['refuse', 'allow'])
        .default('refuse'),
    )
    .addHelpText(
      'after',
      `
The first line has the column names: Username, Password or PasswordHash, Email, and the ID or ExternalKey of the
principal. To create principals, use Denomination, Surname, Name, Vatnumber, Taxcode and PrincipalEmail. About 300 names
that Italian and English programs write, such as "Cod. Cliente", are recognised too. Rows without a key of their
principal are joined by VAT number, tax code or name; rows that seem to be totals are left out.
A row that contradicts an earlier row about the same principal fails. So does a row whose username exists, and a row
that differs from the stored principal; with --update, existing users and principals get the values of the file. A row
whose values are all stored already is skipped; passwords are not compared. A row that creates or changes something is
applied. A user that is disabled stays disabled, unless the file has a column State. A row fails if it would create a
principal with the VAT number, tax code or name of another one, or with its key in another spelling, such as 123 for
00123. To create it all the same, write "allow" in a column Similar of the row, or use --similar allow.
With --invite, new users without a password are registered without one, and choose it with a code.
If the import is interrupted, run the same command again: it resumes, and no row is applied twice.
${exitHelp}

Examples:
  anagrafe import users.csv --dry-run
  anagrafe import users.xlsx --sheet Clienti --update
  anagrafe import users.csv --map "Login name=Username" --map "Note=" --save-mapping erp.json
  anagrafe import users.csv --principal 17 --generate-passwords passwords.csv
  anagrafe import users.csv --invite code --codes codes.csv`,
    );
}

export function resetCommand(): Command {
  return fileCommand('reset', 'reset')
    .description('reset passwords from a CSV, XLSX, JSON or NDJSON file')
    .addHelpText(
      'after',
      `
The first line has the column names: Username and Password. Instead of Username, a file can have UserID and ID, which is
the ID of the principal.
If the reset is interrupted, run the same command again to resume.
${exitHelp}

Examples:
  anagrafe reset passwords.csv --dry-run
  anagrafe reset users.csv --generate-passwords new-passwords.csv`,
    );
}

const exitHelp = `The exit code is 0 if no row failed, 3 if some failed, 1 after another error, 130 after Ctrl-C.`;

function fileCommand(name: string, purpose: ImportTask['purpose']): Command {
  const command = new Command(name)
    .argument('<file>', 'path of the file')
    .option('--dry-run', 'run all checks without changing anything');
  withFileOptions(command)
    .option('--save-mapping <file>', 'save how the columns of this file are mapped')
    .option('--principal <id>', 'ID of the principal for rows that do not have one', readId)
    .option('--generate-passwords <file>', 'generate missing passwords and write them to this file')
    .option(
      '--failed <file>',
      'file for the failed rows; default: <name>.failed.csv, .xlsx or .ndjson next to the input file, or <name>.failed-2.csv if it exists',
    )
    .addOption(
      new Option('--language <language>', 'language of the reasons for failed rows')
        .choices([...languages])
        .default('en'),
    )
    .option('--progress <file>', 'file for the progress; default: <file>.progress')
    .option('--restart', 'start over instead of resuming an interrupted run')
    .option('--json', 'print the result as JSON');
  return withConnection(command).action(async (file: string, options: ImportOptions) =>
    importFile(await taskOf(file, purpose, options), options),
  );
}

async function taskOf(
  file: string,
  purpose: ImportTask['purpose'],
  options: ImportOptions,
): Promise<ImportInput> {
  if (options.moves === 'allow' && !options.update)
    throw new ConfigError('--moves allow needs --update: without it, an import changes no existing users.');
  requireCodesFile(options);
  const path = resolve(file);
  const { principal: ID, externalKey: ExternalKey } = options;
  return {
    purpose,
    path,
    existing: options.update ? 'update' : 'refuse',
    similar: options.similar ?? 'refuse',
    moves: options.moves ?? 'refuse',
    withoutKey: options.withoutKey ?? 'join',
    language: options.language,
    ...(await fileOptionsOf(options)),
    principal: ID !== undefined ? { ID } : ExternalKey !== undefined ? { ExternalKey } : null,
    passwordsPath: options.generatePasswords === undefined ? null : resolve(options.generatePasswords),
    invite: options.invite ?? null,
    codesPath: options.codes === undefined ? null : resolve(options.codes),
    failedPath: options.failed === undefined ? pathBeside(path, 'failed') : resolve(options.failed),
    wouldFailPath: pathBeside(path, 'would-fail'),
    batches: batchLimits,
    progressPath: resolve(options.progress ?? `${path}.progress`),
  };
}

function readId(text: string): number {
  const id = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new InvalidArgumentError('Expected the ID of a principal, a whole number greater than 0.');
}
