import { parse, resolve } from 'node:path';
import {
  type ColumnMapping,
  type Encoding,
  encodings,
  type InviteChannel,
  importFields,
  isImportField,
} from '@anagrafe/importer';
import { type ImportTask, readSavedMapping } from '@anagrafe/importer/node';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ConfigError } from '../settings/config.ts';

/** The options that determine how a file of users is read. */
export interface FileOptions {
  readonly map: ColumnMapping;
  readonly mapping?: string;
  readonly sheet?: string;
  readonly encoding?: Encoding;
  readonly separator?: string;
  readonly keepTotals?: boolean;
}

/** Returns the path of a file with rows of another one, in its format: `users.failed.csv` for `users.csv`. */
export function pathBeside(path: string, suffix: string): string {
  const { dir, name, ext } = parse(path);
  const isWorkbook = ext.toLowerCase() === '.xlsx';
  const extension = isWorkbook ? '.xlsx' : /^\.(json|ndjson|jsonl)$/i.test(ext) ? '.ndjson' : '.csv';
  return resolve(dir, `${name}.${suffix}${extension}`);
}

/** The options with which new users are invited to choose their passwords. */
export interface InviteFileOptions {
  readonly invite?: InviteChannel;
  readonly codes?: string;
}

export function withInviteOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--invite <channel>', 'invite new users without a password to choose one')
        .choices(['email', 'code'])
        .conflicts('generatePasswords'),
    )
    .option(
      '--codes <file>',
      'with --invite code: write the codes to this CSV file, readable only by its owner',
    );
}

/** @throws {ConfigError} If the codes would be lost, or if there are none to write. */
export function requireCodesFile({ invite, codes }: InviteFileOptions): void {
  if (invite === 'code' && codes === undefined)
    throw new ConfigError(
      '--invite code needs --codes with a file for the codes, because they are stored nowhere else.',
    );
  if (invite !== 'code' && codes !== undefined)
    throw new ConfigError('--codes needs --invite code: without it, there are no codes to write.');
}

export function similarOption(): Option {
  return new Option(
    '--similar <action>',
    'what happens to new principals that look like another one: their rows fail, or they are created',
  )
    .choices(['refuse', 'allow'])
    .default('refuse');
}

export function withFileOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--map <column=field>',
        'map a column to a field, or ignore it with "column="; can be repeated',
      )
        .argParser(readMapping)
        .default({}, 'by column name'),
    )
    .option('--mapping <file>', 'use a saved mapping of columns; --map overrides it')
    .option('--sheet <name>', 'name or number of the sheet of an XLSX file; default: the first one')
    .addOption(
      new Option(
        '--encoding <name>',
        'encoding of the file; latin1 is another name of windows-1252; default: detected',
      ).choices([...encodings, ...encodingAliases.keys()]),
    )
    .option(
      '--separator <character>',
      'separator of a CSV file, such as ";" or "\\t"; default: detected',
      readSeparator,
    )
    .option('--keep-totals', 'keep rows without a user that seem to be totals, instead of leaving them out');
}

/** Returns the part of an import task that the options determine. */
export async function fileOptionsOf(
  options: FileOptions,
): Promise<Pick<ImportTask, 'columns' | 'sheet' | 'encoding' | 'separator' | 'keepsTotals'>> {
  const { map, mapping, sheet = null, encoding = null, separator = null } = options;
  const columns = mapping ? { ...(await readSavedMapping(mapping)), ...map } : map;
  return {
    columns,
    sheet,
    encoding: encodingAliases.get(encoding ?? '') ?? encoding,
    separator,
    keepsTotals: options.keepTotals ?? false,
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

/** Other names of encodings. As in browsers, Latin-1 is read as Windows-1252, which has the same letters. */
const encodingAliases: ReadonlyMap<string, Encoding> = new Map([['latin1', 'windows-1252']]);

function readSeparator(text: string): string {
  const separator = text === '\\t' ? '\t' : text;
  if (/^[^"\r\n]$/.test(separator)) return separator;
  throw new InvalidArgumentError('Expected one character, and not a quote or a line break.');
}
