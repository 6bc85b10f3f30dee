import type { Anagrafe, Principal, Run, UpsertPlan, UpsertTuple } from '@anagrafe/client';
import { changesIn } from '@anagrafe/importer';
import { Command } from 'commander';
import { commandLine } from '../../lib/operator-error.ts';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import { nameOf } from '../lookup.ts';
import { counted, grouped } from '../output/format.ts';
import { exitCodes, print, tell } from '../output/output.ts';
import { confirm } from '../output/prompt.ts';
import { printPages } from '../output/rows.ts';
import { type Column, printRows, toTheMinute } from '../output/table.ts';
import { countsText } from '../sync-report.ts';

interface UndoOptions extends ConnectionOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

export function undoCommand(): Command {
  const command = new Command('undo')
    .argument('[run]', 'ID of the run, as printed without this argument')
    .description(
      'undo an import or another run, after showing what would change; without a run, list the runs',
    )
    .option('--dry-run', 'show the changes and stop')
    .option('--yes', 'undo the run without asking')
    .option('--all', 'show all changes, not only the first 200, or all runs, not only the last 20')
    .option('--json', 'print the changes and the job as JSON, or one run per line');
  return withConnection(command)
    .addHelpText(
      'after',
      `
Principals and users that the run has created are deleted, unless they were changed or used since. Values that the run
has changed are restored, unless they were changed again. Users that it has moved go back. What is kept is listed with
the reason. Deleted users and passwords cannot be restored. With --yes, an undo that would delete more than 20 users,
and more than ANAGRAFE_MAX_REMOVALS percent of the users, is refused by the service.
The exit code is 0 if the run was undone, also if something was kept, and 3 if some records failed.

Examples:
  anagrafe undo
  anagrafe undo 0b5c2a5e-1f0e-4b57-9c7b-3a3a6a8f7f10 --dry-run`,
    )
    .action(undo);
}

async function undo(run: string | undefined, options: UndoOptions): Promise<void> {
  const { anagrafe } = await reach(options);
  if (run === undefined) return listRuns(anagrafe, options);
  const { lines, plan } = await readPlan(run, anagrafe);
  const { UndoneAt, UndoneBy } = (await anagrafe.admin.runs.get(run, { pageSize: 1 })).record;
  if (UndoneAt !== null)
    tell(
      `The run was undone before: ${toTheMinute(UndoneAt)}${UndoneBy === null ? '' : `, by ${UndoneBy}`}.`,
    );
  const shown = options.all ? lines : lines.slice(0, shownLines);
  if (!options.json) await printRows(named(shown, anagrafe), columns, {});
  if (shown.length < lines.length)
    tell(`Showing ${grouped(shown.length)} of ${counted(lines.length, 'change')}. Use --all to show all.`);
  tell(countsText(plan));
  const { Plan, Positions: _positions, EstimatedSeconds: _seconds, RecordsFailed: _failed, ...counts } = plan;
  const hasChanges = changesIn(counts) > 0;
  if (!hasChanges || options.dryRun || !(options.yes || (await confirm('Undo the run?')))) {
    tell(hasChanges ? 'Nothing was changed.' : 'Nothing to undo.');
    if (options.json) print(JSON.stringify({ plan, changes: lines, job: null }));
    return;
  }
  // A call without the plan is refused if it removes too many users.
  const ifMatch = options.yes ? undefined : Plan;
  const { ID } = await anagrafe.admin.runs.undo(run, { ifMatch });
  const job = await anagrafe.jobs.wait(ID, { pollMs: 500 });
  if (job.RecordsFailed > 0) process.exitCode = exitCodes.someFailed;
  if (options.json) print(JSON.stringify({ plan, changes: lines, job }));
  if (job.RecordsFailed === 0) tell('Undone.');
  else
    tell(
      `Undone, except for ${counted(job.RecordsFailed, 'record')}. To see them, run: ${commandLine(`job failed ${ID}`)}`,
    );
}

/** A line of the plan: a field that is restored, a user or principal that is deleted, or what is kept. */
interface UndoLine {
  /** The ID of the principal; null if the record failed. */
  readonly principal: number | null;
  /** The ID of the user; null for a change of the principal itself. */
  readonly userId: number | null;
  /** The name of the user; null if the plan does not have it. */
  readonly user: string | null;
  readonly change: string;
  readonly from: unknown;
  readonly to: unknown;
}

const shownLines = 200;

async function readPlan(run: string, anagrafe: Anagrafe): Promise<{ lines: UndoLine[]; plan: UpsertPlan }> {
  const lines: UndoLine[] = [];
  for (let page = 1; ; page++) {
    const read = await anagrafe.admin.runs.plan(run, { changed: true, page, pageSize: 100 });
    lines.push(...read.records.flatMap(linesOf));
    if (page >= read.totalPages) return { lines, plan: read.record };
  }
}

function linesOf({ Item1: principal, Item4: error, Item6 }: UpsertTuple): UndoLine[] {
  type Subject = Pick<UndoLine, 'userId' | 'user'>;
  const itself: Subject = { userId: null, user: null };
  const line = (subject: Subject, change: string, values: { From?: unknown; To?: unknown } = {}) => {
    const { From: from = null, To: to = null } = values;
    return { principal, ...subject, change, from, to };
  };
  const detailsOf = (
    subject: Subject,
    { Changes = [], Kept = [] }: Pick<typeof Item6, 'Changes' | 'Kept'>,
  ) => [
    ...Changes.map((change) => line(subject, `restore ${change.Field}`, change)),
    ...Kept.map(({ Field, Reason }) => line(subject, `keep${Field === null ? '' : ` ${Field}`}: ${Reason}`)),
  ];
  if (error !== null) return [line(itself, `failed: ${error}`)];
  return [
    ...(Item6.Principal === 'deleted' ? [line(itself, 'delete principal')] : []),
    ...detailsOf(itself, Item6),
    ...(Item6.Users ?? []).flatMap((user) => {
      const subject = { userId: user.ID, user: user.Username };
      const changes: Record<string, string> = { delete: 'delete user', move: 'move user back' };
      const change = changes[user.Operation];
      return [...(change ? [line(subject, change)] : []), ...detailsOf(subject, user)];
    }),
  ];
}

interface NamedLine extends UndoLine {
  /** The stored name of the principal; empty if it does not exist any more. */
  readonly name: string;
}

/** Adds the stored names of the principals, and of the users that the plan does not name, as the lines are printed. */
async function* named(lines: readonly UndoLine[], anagrafe: Anagrafe): AsyncGenerator<NamedLine> {
  let ID: number | null = null;
  let stored: Principal | undefined;
  for (const line of lines) {
    if (line.principal !== ID) {
      ID = line.principal;
      stored = ID === null ? undefined : (await anagrafe.list({ ID, PageSize: 1 }).page()).records[0];
    }
    const user = line.user ?? stored?.Users.find((one) => one.ID === line.userId)?.Username ?? null;
    yield { ...line, name: stored ? nameOf(stored) : '', user };
  }
}

const columns: readonly Column<NamedLine>[] = [
  { head: 'ID', side: 'right', whole: true, cell: ({ principal }) => String(principal ?? '') },
  { head: 'Principal', cell: ({ name }) => name },
  { head: 'User ID', side: 'right', whole: true, cell: ({ userId }) => String(userId ?? '') },
  { head: 'User', cell: ({ user }) => user ?? '' },
  { head: 'Change', whole: true, cell: ({ change }) => change },
  { head: 'From', cell: ({ from }) => textOf(from) },
  { head: 'To', cell: ({ to }) => textOf(to) },
];

function textOf(value: unknown): string {
  return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

const runColumns: readonly Column<Run>[] = [
  { head: 'ID', whole: true, cell: ({ ID }) => ID },
  {
    head: 'Started',
    whole: true,
    cell: ({ StartedAt }) => StartedAt,
    shown: ({ StartedAt }) => toTheMinute(StartedAt),
  },
  { head: 'Client', cell: ({ ClientName }) => ClientName ?? '' },
  {
    head: 'Undone',
    whole: true,
    cell: ({ UndoneAt }) => UndoneAt ?? '',
    shown: ({ UndoneAt }) => toTheMinute(UndoneAt),
  },
  { head: 'Undone by', cell: ({ UndoneBy }) => UndoneBy ?? '' },
  { head: 'Records', side: 'right', whole: true, cell: ({ Records }) => String(Records) },
  { head: 'Failed', side: 'right', whole: true, cell: ({ RecordsFailed }) => String(RecordsFailed) },
  { head: 'Users', side: 'right', whole: true, cell: ({ Users }) => String(Users) },
];

function listRuns(anagrafe: Anagrafe, { all, json }: UndoOptions): Promise<void> {
  const pages = (pageSize: number) => anagrafe.admin.runs.list({ pageSize });
  const rows = { limit: 20, ...(all && { all }), ...(json && { json }) };
  return printPages(rows, { pageSize: 1000, columns: runColumns, pages });
}
