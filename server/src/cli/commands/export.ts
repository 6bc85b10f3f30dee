import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { ExportFilter, ExportFormat, RecordExport } from '@anagrafe/client';
import { exportedWorkbook } from '@anagrafe/importer';
import { Command, Option } from 'commander';
import { terminalLines } from '../../lib/terminal-text.ts';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import { readTags } from '../field-options.ts';
import { grouped, readCount } from '../output/format.ts';
import { exitCodes, print, tell } from '../output/output.ts';

type FileFormat = ExportFormat | 'xlsx';

interface ExportOptions extends ConnectionOptions {
  readonly format?: FileFormat;
  readonly separator?: ExportFilter['separator'];
  readonly principal?: number;
  readonly externalKey?: string;
  readonly tags?: string[];
  readonly hashes?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

export function exportCommand(): Command {
  const command = new Command('export')
    .description('export principals with their users to a file, or to standard output')
    .argument('[file]', 'file to write, readable only by its owner')
    .addOption(
      new Option(
        '--format <format>',
        'default: that of a file named .csv or .xlsx, otherwise ndjson',
      ).choices(['csv', 'xlsx', 'spreadsheet', 'ndjson']),
    )
    .addOption(
      new Option(
        '--separator <separator>',
        'of csv and spreadsheet; Excel expects a semicolon where numbers have a decimal comma (default: ",")',
      ).choices([',', ';', 'tab']),
    )
    .option('--principal <id>', 'export only the principal with this ID', readCount)
    .option('--external-key <key>', 'export only the principal with this ExternalKey')
    .option('--tags <tags>', 'export only principals with one of these tags', readTags)
    .option('--hashes', 'include the password hashes; requires an API client with the scope admin')
    .option('--force', 'overwrite the file if it exists')
    .option('--json', 'with a file, print its name, format and size as JSON');
  return withConnection(command)
    .addHelpText(
      'after',
      '\nAll records are exported as they are stored at one moment. Files in the formats csv and xlsx can be imported' +
        '\nagain. The cells of xlsx are texts, which a spreadsheet program does not change. The format spreadsheet is' +
        '\nCSV to open in a spreadsheet: a value that would be run as a formula has an apostrophe in front.' +
        '\nThe file is complete if it exists: until then it has the suffix .part.' +
        '\n\nExamples:\n  anagrafe export users.csv\n  anagrafe export users.xlsx\n  anagrafe export users.csv --format spreadsheet --separator ";"\n  anagrafe export --principal 12 | jq .Users',
    )
    .action(exportRecords);
}

async function exportRecords(
  file: string | undefined,
  options: ExportOptions,
  command: Command,
): Promise<void> {
  if (file !== undefined && !options.force && existsSync(file))
    command.error(`error: ${file} exists. Choose another file, or use --force to overwrite it.`);
  const { anagrafe } = await reach(options);
  const format = options.format ?? formatOf(file ?? '');
  if (options.separator && format !== 'csv' && format !== 'spreadsheet')
    command.error('error: --separator is only for the formats csv and spreadsheet.');
  if (format === 'xlsx' && file === undefined && process.stdout.isTTY)
    command.error('error: Name a file to write, such as users.xlsx.');
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  process.once('SIGINT', leave);
  try {
    const { principal: ID, externalKey: ExternalKey, tags: Tags, hashes, separator } = options;
    const records = anagrafe.exportRecords(
      { ID, ExternalKey, Tags, hashes, separator },
      { signal: leaving.signal },
    );
    if (file === undefined) return await printBytes(await bytesOf(records, format));
    const bytes = await writeFile(file, records, format);
    if (options.json) return print(JSON.stringify({ file, format, bytes }));
    tell(`Wrote ${grouped(bytes)} bytes to ${file}.`);
    if (hashes) tell('The file contains password hashes. Delete it when you no longer need it.');
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    process.exitCode = exitCodes.interrupted;
    tell('The export was interrupted.');
  } finally {
    process.off('SIGINT', leave);
  }
}

const suffixes: readonly FileFormat[] = ['csv', 'xlsx'];

function formatOf(file: string): FileFormat {
  return suffixes.find((suffix) => file.toLowerCase().endsWith(`.${suffix}`)) ?? 'ndjson';
}

async function bytesOf(records: RecordExport, format: FileFormat): Promise<AsyncIterable<Uint8Array>> {
  return format === 'xlsx' ? exportedWorkbook(records.bytes('csv')) : records.bytes(format);
}

async function printBytes(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const output = process.stdout.isTTY ? escaped(bytes) : bytes;
  await pipeline(output, process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    // The reader of a pipe may exit before the end.
    if (error.code !== 'EPIPE') throw error;
  });
}

async function* escaped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const some of bytes) yield terminalLines(decoder.decode(some, { stream: true }));
}

/** Writes the file under another name until it is complete. Returns the number of bytes. */
async function writeFile(file: string, records: RecordExport, format: FileFormat): Promise<number> {
  const part = `${file}.part`;
  // A mode applies only to a new file, and the rest of an interrupted export may have another.
  await rm(part, { force: true });
  const output = createWriteStream(part, { mode: 0o600, flags: 'wx' });
  try {
    await pipeline(await bytesOf(records, format), output);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return output.bytesWritten;
}
