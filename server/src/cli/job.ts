import type { Job } from '@anagrafe/client';
import { Command } from 'commander';
import { type ConnectionOptions, reach, withConnection } from './connection.ts';
import { failedJob } from './job-failed.ts';
import { watchJob } from './job-watch.ts';
import { print, tell } from './output.ts';
import { printPages, type RowOptions, withRows } from './rows.ts';
import { type Column, toTheMinute } from './table.ts';

export function jobCommand(): Command {
  const command = new Command('job').description('look after calls that are done later');

  const list = command.command('list').description('list the jobs, the newest first');
  withConnection(withRows(list, 20))
    .addHelpText('after', '\nExample:\n  anagrafe job list --limit 5')
    .action(listJobs);

  const watch = command
    .command('watch <id>')
    .description('show how a job goes until it ends')
    .option('--json', 'the job as JSON, once it has ended');
  withConnection(watch)
    .addHelpText(
      'after',
      '\nThe exit code is 0 where every record was applied, 3 where some failed or were cancelled.' +
        '\nCtrl-C ends the watching; the job goes on.' +
        '\n\nExample:\n  anagrafe job watch 0b5c2a5e-1f0e-4b57-9c7b-3a3a6a8f7f10',
    )
    .action(watchJob);

  const cancel = command
    .command('cancel <id>')
    .description('cancel what a job has not begun; what was written stays')
    .option('--json', 'the job as JSON');
  withConnection(cancel)
    .addHelpText('after', '\nExample:\n  anagrafe job cancel 0b5c2a5e-1f0e-4b57-9c7b-3a3a6a8f7f10')
    .action(cancelJob);

  const failed = command
    .command('failed <id>')
    .description('print the records that were not applied, to be corrected and sent again')
    .option('--out <file>', 'write them there, for its owner alone to read')
    .option('--json', 'as JSON, which they are in any case; with --out, how many there are');
  withConnection(failed)
    .addHelpText(
      'after',
      '\nPasswords are not kept: fill them in before the records are sent again.' +
        '\n\nExample:\n  anagrafe job failed 0b5c2a5e-1f0e-4b57-9c7b-3a3a6a8f7f10 --out failed.json',
    )
    .action(failedJob);
  return command;
}

const columns: readonly Column<Job>[] = [
  { head: 'ID', whole: true, cell: ({ ID }) => ID },
  { head: 'State', whole: true, cell: ({ State }) => State },
  { head: 'Done', side: 'right', whole: true, cell: ({ RecordsDone }) => String(RecordsDone) },
  { head: 'Records', side: 'right', whole: true, cell: ({ Records }) => String(Records) },
  { head: 'Failed', side: 'right', whole: true, cell: ({ RecordsFailed }) => String(RecordsFailed) },
  { head: 'Operation', whole: true, cell: ({ Operation }) => Operation },
  {
    head: 'Submitted',
    whole: true,
    cell: ({ SubmittedAt }) => SubmittedAt,
    shown: ({ SubmittedAt }) => toTheMinute(SubmittedAt),
  },
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
  if (job.State === 'cancelled') return tell(`Job ${id} is cancelled; what was written before stays.`);
  tell(`Job ${id} had ended before; nothing of it was left to cancel.`);
}
