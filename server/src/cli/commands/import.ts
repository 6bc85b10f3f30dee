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
    .description('register the users of a CSV, JSON or NDJSON file, of any size')
    .addOption(
      new Option(
        '--external-key <key>',
        'the external key of the principal, for rows that name none',
      ).conflicts('principal'),
    )
    .addHelpText(
      'after',
      `
The first line names the columns: Username, Password (or PasswordHash), Email, and the principal: ID, or ExternalKey, or
Denomination, Surname, Name, Vatnumber, Taxcode, PrincipalEmail for a new one. Italian names are known too.
Run it again after any interruption: it continues where it stopped, and no row is applied twice.
${exitHelp}

Examples:
  anagrafe import users.csv --dry-run
  anagrafe import users.csv --map "Login name=Username" --map "Note="
  anagrafe import users.csv --principal 17 --generate-passwords passwords.csv`,
    );
}

export function resetCommand(): Command {
  return fileCommand('reset', 'reset')
    .description('reset the passwords of the users of a CSV, JSON or NDJSON file, of any size')
    .addHelpText(
      'after',
      `
The first line names the columns: Username and Password; or UserID and the ID of its principal in place of Username.
Run it again after any interruption: it continues where it stopped.
${exitHelp}

Examples:
  anagrafe reset passwords.csv --dry-run
  anagrafe reset users.csv --generate-passwords new-passwords.csv`,
    );
}

const exitHelp = `The exit code is 0 if every row was applied, 3 if some rows failed, 1 after any other error, and 130 after Ctrl-C.`;

function fileCommand(name: string, purpose: ImportTask['purpose']): Command {
  const command = new Command(name)
    .argument('<file>', 'the file')
    .option('--dry-run', 'make every check, and apply nothing')
    .option(
      '--map <column=field>',
      `the field of a column, or "column=" to ignore it; may be repeated`,
      readMapping,
      {},
    )
    .option('--principal <id>', 'the ID of the principal, for rows that name none', readId)
    .option(
      '--generate-passwords <file>',
      'generate the passwords that are missing, and write them to this file',
    )
    .option('--failed <file>', 'file for the failed rows; default: <name>.failed.csv beside the file')
    .option('--progress <file>', 'file for the import progress; default: <file>.progress beside the file')
    .option('--restart', 'start over instead of continuing an earlier import')
    .addOption(
      new Option('--encoding <name>', 'the encoding of the file; default: detected').choices([...encodings]),
    )
    .option('--separator <character>', 'the character between cells; default: detected')
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
    separator: options.separator === '\\t' ? '\t' : (options.separator ?? null),
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
    throw new InvalidArgumentError(`It takes <column>=<field>, with one of ${importFields.join(', ')}.`);
  return { ...before, [column]: field === '' ? null : field };
}

function readId(text: string): number {
  const id = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new InvalidArgumentError('It takes the ID of a principal, a whole number.');
}
