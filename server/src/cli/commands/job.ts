import { open } from 'node:fs/promises';
import type { Job } from '@anagrafe/client';
import { Command } from 'commander';
import { commandLine } from '../../lib/operator-error.ts';
import { ConfigError } from '../../settings/config.ts';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import { counted, grouped } from '../output/format.ts';
import { LiveLine, type Progress } from '../output/live-line.ts';
import { exitCodes, print, tell } from '../output/output.ts';
import { printPages, type RowOptions, withRows } from '../output/rows.ts';
import { type Column, toTheMinute } from '../output/table.ts';

const idText = 'ID of the job';

export function jobCommand(): Command {
  const command = new Command('job').description('manage background jobs');

  const list = command.command('list').description('list jobs, newest first');
  withConnection(withRows(list, 20))
    .addHelpText(
      'after',
      '\nRecords and Users show how many are done, of how many. Users/s is the speed of about the last minute or, of a' +
        '\njob that has ended, the average.' +
        '\n\nExample:\n  anagrafe job list --limit 5',
    )
    .action(listJobs);

  const watch = command
    .command('watch')
    .argument('<id>', idText)
    .description('show the progress of a job until it ends')
    .option('--json', 'print the job as JSON when it ends');
  withConnection(watch)
    .addHelpText(
      'after',
      '\nThe exit code is 0 if all records were applied, 3 if some failed or were cancelled.' +
        '\nCtrl-C ends only this command; the job continues.' +
        '\n\nExample:\n  anagrafe job watch 0b5c2a5e-1f0e-4b57-9c7b-3a3a6a8f7f10',
    )
    .action(watchJob);

  const cancel = command
    .command('cancel')
    .argument('<id>', idText)
    .description('cancel the rest of a job; records already applied are kept')
    .option('--json', 'print the job as JSON');
  withConnection(cancel)
    .addHelpText('after', '\nExample:\n  anagrafe job cancel 0b5c2a5e-1f0e-4b57-9c7b-3a3a6a8f7f10')
    .action(cancelJob);

  const failed = command
    .command('failed')
    .argument('<id>', idText)
    .description('print the failed records of a job as JSON, to correct and send again')
    .option('--out <file>', 'write the records to this file, readable only by its owner')
    .option('--json', 'with --out, print the file name and the number of records as JSON');
  withConnection(failed)
    .addHelpText(
      'after',
      '\nPasswords are not stored: add them before you send the records again.' +
        '\n\nExample:\n  anagrafe job failed 0b5c2a5e-1f0e-4b57-9c7b-3a3a6a8f7f10 --out failed.json',
    )
    .action(failedJob);
  return command;
}

const columns: readonly Column<Job>[] = [
  { head: 'ID', whole: true, cell: ({ ID }) => ID },
  { head: 'State', whole: true, cell: ({ State }) => State },
  {
    head: 'Records',
    side: 'right',
    whole: true,
    cell: ({ RecordsDone, Records }) => `${RecordsDone}/${Records}`,
  },
  { head: 'Failed', side: 'right', whole: true, cell: ({ RecordsFailed }) => String(RecordsFailed) },
  { head: 'Users', side: 'right', whole: true, cell: ({ UsersDone, Users }) => `${UsersDone}/${Users}` },
  { head: 'Users/s', side: 'right', whole: true, cell: ({ UsersPerSecond }) => String(UsersPerSecond ?? '') },
  {
    head: 'Submitted',
    whole: true,
    cell: ({ SubmittedAt }) => SubmittedAt,
    shown: ({ SubmittedAt }) => toTheMinute(SubmittedAt),
  },
  { head: 'Operation', whole: true, cell: ({ Operation }) => Operation },
];

async function listJobs(options: ConnectionOptions & RowOptions): Promise<void> {
  const { anagrafe } = await reach(options);
  const pages = (pageSize: number) => anagrafe.jobs.list({ pageSize });
  return printPages(options, { pageSize: 1000, columns, pages });
}

async function cancelJob(id: string, options: ConnectionOptions & { json?: boolean }): Promise<void> {
  const { anagrafe } = await reach(options);
  const job = await anagrafe.jobs.cancel(id);
  if (options.json) return print(JSON.stringify(job));
  if (job.State === 'cancelled') return tell(`Job ${id} is cancelled. Records already applied are kept.`);
  tell(`Job ${id} had already ended. Nothing was cancelled.`);
}

interface FailedOptions extends ConnectionOptions {
  readonly out?: string;
  readonly json?: boolean;
}

/** Prints the failed records of a job, or writes them to a file, indented for correction by hand. */
async function failedJob(id: string, { out, json, ...options }: FailedOptions): Promise<void> {
  const { anagrafe } = await reach(options);
  const failed = await anagrafe.jobs.failed(id);
  const text = JSON.stringify(failed, null, 2);
  if (out === undefined) return print(text);
  await writePrivately(out, `${text}\n`);
  if (json) return print(JSON.stringify({ file: out, records: failed.length }));
  tell(`Wrote ${failed.length} ${failed.length === 1 ? 'record' : 'records'} to ${out}.`);
}

/** Writes a file with mode 0600, because it contains personal data. */
async function writePrivately(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`Cannot write ${path} (${error.code}). Choose another file with --out.`);
  });
  try {
    // The mode passed to `open` does not apply to an existing file.
    await file.chmod(0o600);
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

const pollMs = 500;

/** Shows the progress of a job until it ends. Ctrl-C ends only the command; the job continues. */
async function watchJob(
  id: string,
  { json, ...options }: ConnectionOptions & { json?: boolean },
): Promise<void> {
  const { anagrafe } = await reach(options);
  const line = new LiveLine();
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  process.once('SIGINT', leave);
  try {
    const onProgress = (job: Job) => line.show(standingOf(job));
    const job = await anagrafe.jobs.wait(id, { onProgress, pollMs, signal: leaving.signal });
    line.end();
    const whole = job.RecordsFailed === 0 && job.State === 'completed';
    process.exitCode = whole ? exitCodes.done : exitCodes.someFailed;
    if (json) print(JSON.stringify(job));
    else tell(inWords(job));
  } catch (error) {
    line.end();
    if (!leaving.signal.aborted) throw error;
    process.exitCode = exitCodes.interrupted;
    tell(`The job continues. To watch it again, run: ${commandLine(`job watch ${id}`)}`);
  } finally {
    process.off('SIGINT', leave);
  }
}

/** Counts users, because hashing takes most of the time; counts records if the job has no users. */
function standingOf(job: Job): Progress {
  const { State: state, RecordsFailed: failed } = job;
  if (job.Users > 0) return { state, done: job.UsersDone, total: job.Users, unit: 'users', failed };
  return { state, done: job.RecordsDone, total: job.Records, unit: 'records', failed };
}

function inWords({ ID, State, Records, RecordsFailed }: Job): string {
  const applied = `${grouped(Records - RecordsFailed)} of ${counted(Records, 'record')}`;
  const ended = `Job ${ID} is ${State}: ${applied} applied.`;
  return RecordsFailed === 0 ? ended : `${ended} To get the others, run: ${commandLine(`job failed ${ID}`)}`;
}
