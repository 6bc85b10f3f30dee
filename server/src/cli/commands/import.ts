import { parse, resolve } from 'node:path';
import {
  type ColumnMapping,
  type Encoding,
  encodings,
  importFields,
  isImportField,
} from '@anagrafe/importer';
import type { ImportTask } from '@anagrafe/importer/node';
import { Command, InvalidArgumentError, Option } from 'commander';
import { withConnection } from '../connection.ts';
import { type ImportInput, importFile, type RunOptions } from '../import-run.ts';

interface ImportOptions extends RunOptions {
  readonly map: ColumnMapping;
  readonly principal?: number;
  readonly externalKey?: string;
  readonly encoding?: Encoding;
  readonly separator?: string;
  readonly generatePasswords?: string;
  readonly failed?: string;
  readonly progress?: string;
}

export function importCommand(): Command {
  return fileCommand('import', 'register')
    .description('import users from a CSV, JSON or NDJSON file of any size')
    .addOption(
      new Option(
        '--external-key <key>',
        'ExternalKey of the principal for rows that do not have one',
      ).conflicts('principal'),
    )
    .addHelpText(
      'after',
      `
The first line has the column names: Username, Password or PasswordHash, Email, and the ID or ExternalKey of the
principal. To create principals, use Denomination, Surname, Name, Vatnumber, Taxcode and PrincipalEmail. Common Italian
column names, such as "Nome utente", are recognised too.
If the import is interrupted, run the same command again: it resumes, and no row is applied twice.
${exitHelp}

Examples:
  anagrafe import users.csv --dry-run
  anagrafe import users.csv --map "Login name=Username" --map "Note="
  anagrafe import users.csv --principal 17 --generate-passwords passwords.csv`,
    );
}

export function resetCommand(): Command {
  return fileCommand('reset', 'reset')
    .description('reset passwords from a CSV, JSON or NDJSON file of any size')
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

const exitHelp = `The exit code is 0 if all rows were applied, 3 if some failed, 1 after another error, 130 after Ctrl-C.`;

function fileCommand(name: string, purpose: ImportTask['purpose']): Command {
  const command = new Command(name)
    .argument('<file>', 'path of the file')
    .option('--dry-run', 'run all checks without changing anything')
    .addOption(
      new Option(
        '--map <column=field>',
        'map a column to a field, or ignore it with "column="; can be repeated',
      )
        .argParser(readMapping)
        .default({}, 'by column name'),
    )
    .option('--principal <id>', 'ID of the principal for rows that do not have one', readId)
    .option('--generate-passwords <file>', 'generate missing passwords and write them to this file')
    .option('--failed <file>', 'file for the failed rows; default: <name>.failed.csv next to the input file')
    .option('--progress <file>', 'file for the progress; default: <file>.progress')
    .option('--restart', 'start over instead of resuming an interrupted run')
    .addOption(
      new Option('--encoding <name>', 'encoding of the file; default: detected').choices([...encodings]),
    )
    .option(
      '--separator <character>',
      'separator of a CSV file, such as ";" or "\\t"; default: detected',
      readSeparator,
    )
    .option('--json', 'print the result as JSON');
  return withConnection(command).action((file: string, options: ImportOptions) =>
    importFile(taskOf(file, purpose, options), options),
  );
}

function taskOf(file: string, purpose: ImportTask['purpose'], options: ImportOptions): ImportInput {
  const path = resolve(file);
  const { dir, name, ext } = parse(path);
  const failedExtension = /^\.(json|ndjson|jsonl)$/i.test(ext) ? '.ndjson' : '.csv';
  const { principal: ID, externalKey: ExternalKey } = options;
  return {
    purpose,
    path,
    columns: options.map,
    encoding: options.encoding ?? null,
    separator: options.separator ?? null,
    principal: ID !== undefined ? { ID } : ExternalKey !== undefined ? { ExternalKey } : null,
    passwordsPath: options.generatePasswords === undefined ? null : resolve(options.generatePasswords),
    failedPath: resolve(options.failed ?? `${dir}/${name}.failed${failedExtension}`),
    wouldFailPath: resolve(`${dir}/${name}.would-fail${failedExtension}`),
    progressPath: resolve(options.progress ?? `${path}.progress`),
  };
}

function readMapping(text: string, before: ColumnMapping): ColumnMapping {
  const at = text.lastIndexOf('=');
  const [column, wanted] = [text.slice(0, at), text.slice(at + 1).trim()];
  const field = importFields.find((known) => known.toLowerCase() === wanted.toLowerCase()) ?? wanted;
  if (at < 1 || (field !== '' && !isImportField(field)))
    throw new InvalidArgumentError(`Expected <column>=<field>. Fields: ${importFields.join(', ')}.`);
  return { ...before, [column]: field === '' ? null : field };
}

function readSeparator(text: string): string {
  const separator = text === '\\t' ? '\t' : text;
  if (/^[^"\r\n]$/.test(separator)) return separator;
  throw new InvalidArgumentError('Expected one character, and not a quote or a line break.');
}

function readId(text: string): number {
  const id = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new InvalidArgumentError('Expected the ID of a principal, a whole number greater than 0.');
}
