import type { FieldChange, UpsertCounts } from '@anagrafe/client';
import {
  type Comparison,
  changesOf,
  formatRowError,
  type ImportFile,
  type Losses,
  type MissingPrincipal,
  type MissingPrincipalsPolicy,
  type Moves,
  namesByField,
  type PlannedChange,
  type RowProblem,
  type RowUnit,
  rowUnit,
  type SyncPlan,
  sourceOf,
} from '@anagrafe/importer';
import { removalsAlwaysAllowed } from '../records/check/plan.ts';
import { ConfigError } from '../settings/config.ts';
import { lineList } from './file-report.ts';
import { counted, grouped } from './output/format.ts';
import { exitCodes, tell } from './output/output.ts';
import { type Column, printRows } from './output/table.ts';

/** A line of the plan: one field that changes, or one principal or user that is created, disabled or deleted. */
interface PlanLine {
  readonly principal: string;
  readonly username: string | null;
  readonly change: string;
  readonly from: string | null;
  readonly to: string | null;
}

export function planLines({ plan, moves, disables }: Comparison): PlanLine[] {
  const changes = plan.calls.flatMap(({ records }) => records.flatMap(changesOf));
  return [...changes.flatMap((change) => linesOf(change, moves)), ...goneLines(disables)];
}

/** The lines of principals that are disabled because the file does not have them. */
function goneLines(missing: readonly MissingPrincipal[]): PlanLine[] {
  return missing.map((principal) => ({
    principal: nameOf(principal),
    username: null,
    change: 'disable principal',
    from: 'active',
    to: 'disabled',
  }));
}

function nameOf({ ID, ExternalKey, Denomination }: Omit<MissingPrincipal, 'users'>): string {
  return [ExternalKey ?? `#${ID}`, ...(Denomination === null ? [] : [Denomination])].join(' ');
}

export const missingUnknown =
  'Missing principals cannot be found: the API client needs the scope sync:read, or too many are missing.';

/** Prints the principals that the file does not have. */
export function printGone(
  { gone }: Pick<Comparison, 'gone'>,
  { missingPrincipals }: { readonly missingPrincipals: MissingPrincipalsPolicy },
): void {
  if (!gone && missingPrincipals !== 'keep') tell(missingUnknown);
  const { missing } = gone ?? { missing: [] };
  if (missing.length === 0) return;
  const names = `${missing.slice(0, namesMax).map(nameOf).join(', ')}${missing.length > namesMax ? ', …' : ''}`;
  const them = counted(missing.length, 'principal');
  tell(
    missingPrincipals === 'disable'
      ? `${them} that the file does not have would be disabled (${names}).`
      : `${them} of the service ${missing.length === 1 ? 'is' : 'are'} not in the file and ${missing.length === 1 ? 'stays' : 'stay'} active (${names}). To disable: --missing-principals disable`,
  );
}

function linesOf(
  { record, principalId, username, action, fields, hidden }: PlannedChange,
  moves: Moves,
): PlanLine[] {
  const { ExternalKey, ID, Denomination } = record as Readonly<Record<string, unknown>>;
  const key = String(ExternalKey ?? ID ?? principalId);
  const principal = Denomination ? `${key} ${Denomination}` : key;
  const line = (change: string, { From = null, To = null }: Partial<FieldChange> = {}) => ({
    principal,
    username,
    change,
    from: textOf(From),
    to: textOf(To),
  });
  if (action === 'insert') return [line('create principal')];
  const source = action === 'move' && username !== null ? sourceOf(moves, username) : undefined;
  const from = source && nameOf({ ...source, ID: source.IRID });
  const places = action === 'move' ? { From: from ?? null, To: principal } : {};
  const effect = action === 'edit' ? [] : [line(`${action} user`, places)];
  return [
    ...effect,
    ...fields.map((field) => line(field.Field, field)),
    ...hidden.map((field) => line(field)),
  ];
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Lines that are shown without `--all`. */
const shownLines = 200;

export async function printPlan(lines: readonly PlanLine[], { all }: { all?: boolean }): Promise<void> {
  const shown = all ? lines : lines.slice(0, shownLines);
  await printRows(inOrder(shown), columns, {});
  if (shown.length < lines.length)
    tell(`Showing ${grouped(shown.length)} of ${grouped(lines.length)} changes. Use --all to show all.`);
}

async function* inOrder<Line>(lines: readonly Line[]): AsyncGenerator<Line> {
  yield* lines;
}

const columns: readonly Column<PlanLine>[] = [
  { head: 'Principal', cell: ({ principal }) => principal },
  { head: 'User', cell: ({ username }) => username ?? '' },
  { head: 'Change', whole: true, cell: ({ change }) => change },
  { head: 'From', cell: ({ from }) => from ?? '' },
  { head: 'To', cell: ({ to }) => to ?? '' },
];

/** Describes counts in one line: `Principals: 1 created, 2 changed. Users: 3 registered, 1 disabled. 500 unchanged.` */
export function countsText(counts: UpsertCounts): string {
  const part = (names: readonly [keyof UpsertCounts, string][]) =>
    names
      .filter(([name]) => (counts[name] ?? 0) > 0)
      .map(([name, word]) => `${grouped(counts[name] ?? 0)} ${word}`)
      .join(', ') || 'no changes';
  const principals = part([
    ['PrincipalsInserted', 'created'],
    ['PrincipalsUpdated', 'changed'],
    ['PrincipalsDeleted', 'deleted'],
  ]);
  const users = part([
    ['UsersRegistered', 'registered'],
    ['UsersUpdated', 'changed'],
    ['UsersMoved', 'moved'],
    ['UsersDisabled', 'disabled'],
    ['UsersDeleted', 'deleted'],
  ]);
  return `Principals: ${principals}. Users: ${users}. Records without changes: ${grouped(counts.Unchanged)}.`;
}

/** Maximum number of lines in a message about several rows. */
const linesMax = 20;

/** Formats the errors of a row with the names of their columns. */
export function problemText({ errors }: RowProblem, { columns }: Pick<ImportFile, 'columns'>): string {
  const names = namesByField(columns);
  return errors.map((error) => formatRowError(error, names)).join(' ');
}

/** Prints the first problems by line, and the number of the others. */
export function printProblems(
  problems: readonly RowProblem[],
  file: Pick<ImportFile, 'layout' | 'columns'>,
): void {
  const sorted = problems.toSorted((one, other) => one.line - other.line);
  for (const problem of sorted.slice(0, linesMax))
    tell(`  ${rowUnit(file.layout)} ${problem.line}: ${problemText(problem, file)}`);
  if (sorted.length > linesMax) tell(`  … and ${grouped(sorted.length - linesMax)} more`);
}

/** Prints the errors because of which a file cannot be used, and returns the error of the command. */
export function unusableFile(
  path: string,
  errors: readonly RowProblem[],
  file: Pick<ImportFile, 'layout' | 'columns'>,
): ConfigError {
  printProblems(errors, file);
  const count = new Set(errors.map(({ line }) => line)).size;
  // A row that is left out would count as missing, and its user could be deleted.
  return new ConfigError(
    `${counted(count, 'row')} of ${path} cannot be used. Nothing was changed. Correct the file, then run the command again.`,
  );
}

/** Prints how many records of a plan are left out, and sets the exit code. */
export function printFailedRecords({ failedRecords }: SyncPlan, unit: RowUnit): void {
  const count = failedRecords.length;
  if (count === 0) return;
  process.exitCode = exitCodes.someFailed;
  const lines = failedRecords.flatMap(({ members }) => members.map(({ row }) => row.line));
  const first = lines.toSorted((one, other) => one - other).slice(0, linesMax);
  const shown = lineList(first, unit, lines.length);
  tell(
    count === 1
      ? `1 principal has errors and is left out with all of its users (${shown}).`
      : `${grouped(count)} principals have errors and are left out with all of their users (${shown}).`,
  );
}

/** Prints how many users were left out of their records, and sets the exit code. */
export function printLeftOutUsers({ leftOut }: SyncPlan, unit: RowUnit): void {
  if (leftOut.length === 0) return;
  process.exitCode = exitCodes.someFailed;
  const lines = leftOut.map(({ line }) => line).toSorted((one, other) => one - other);
  const rows = lineList(lines.slice(0, linesMax), unit, lines.length);
  tell(
    lines.length === 1
      ? `1 row has errors and is left out; its users stay as they are (${rows}).`
      : `${grouped(lines.length)} rows have errors and are left out; their users stay as they are (${rows}).`,
  );
}

/** Maximum number of usernames in a message. */
const namesMax = 5;

/** Prints that disabled users of the file stay disabled. */
export function printDisabled(usernames: readonly string[] | null): void {
  if (usernames === null) {
    tell('Users that are disabled stay disabled, unless the file has a column State.');
    return;
  }
  if (usernames.length === 0) return;
  const names = `${usernames.slice(0, namesMax).join(', ')}${usernames.length > namesMax ? ', …' : ''}`;
  tell(
    usernames.length === 1
      ? `1 user of the file is disabled and stays disabled (${names}). To enable it, add a column State with the value active.`
      : `${grouped(usernames.length)} users of the file are disabled and stay disabled (${names}). To enable them, add a column State with the value active.`,
  );
}

/** Returns the error of a file that would remove too much for a run without a confirmation: it may be incomplete. */
export function tooManyLosses(
  { action, principal, unit, count, stored, allowed }: Losses,
  maxPercent: number,
) {
  const effect = {
    remove: 'disable or delete',
    move: 'move',
    disable: unit === 'principal' ? 'disable' : 'disable principals with',
  }[action];
  const owner = principal === null ? '' : ` of the principal ${principal}`;
  return new ConfigError(
    `The file would ${effect} ${grouped(count)} of ${counted(stored, unit)}${owner}. With --yes at most ${grouped(allowed)} are allowed: ${maxPercent} percent (ANAGRAFE_MAX_REMOVALS), but at least ${removalsAlwaysAllowed}. Nothing was applied. Run the command without --yes to review the changes and confirm them.`,
  );
}

/** Returns the error of a plan that does not hold any more, of which `done` calls were applied. */
export function outdatedPlan(done: number): ConfigError {
  const applied =
    done === 0
      ? 'Nothing was applied'
      : `${counted(done, 'part')} of the file ${done === 1 ? 'was' : 'were'} applied`;
  return new ConfigError(
    `The data has changed since the changes were shown. ${applied}. Run the command again to see the present changes.`,
  );
}
