import type { FieldChange, UpsertCounts, UpsertTuple } from '@anagrafe/client';
import { noCounts } from '@anagrafe/importer';
import { grouped } from './output/format.ts';
import { tell } from './output/output.ts';
import { type Column, printRows } from './output/table.ts';
import type { SyncRecord } from './sync-file.ts';

/** A line of the plan: one field that changes, or one principal or user that is created, disabled or deleted. */
export interface PlanLine {
  readonly principal: string;
  readonly username: string | null;
  readonly change: string;
  readonly from: string | null;
  readonly to: string | null;
}

export function planLines({ record }: SyncRecord, tuple: UpsertTuple): PlanLine[] {
  const { Item6: planned } = tuple;
  const principal = nameOf(record, tuple);
  const line = (
    username: string | null,
    change: string,
    { From = null, To = null }: Partial<FieldChange> = {},
  ) => ({
    principal,
    username,
    change,
    from: textOf(From),
    to: textOf(To),
  });
  const ofPrincipal =
    planned.Principal === 'inserted'
      ? [line(null, 'create principal')]
      : (planned.Changes ?? []).map((change) => line(null, change.Field, change));
  const ofUsers = (planned.Users ?? []).flatMap(({ Username, Operation, Changed = [], Changes = [] }) => {
    if (Operation === 'none') return [];
    if (Operation !== 'edit') return [line(Username, `${Operation} user`)];
    const shown = new Set(Changes.map(({ Field }) => Field));
    // A password changes without values.
    const others = Changed.filter((field) => !shown.has(field));
    return [
      ...Changes.map((change) => line(Username, change.Field, change)),
      ...others.map((field) => line(Username, field)),
    ];
  });
  return [...ofPrincipal, ...ofUsers];
}

function nameOf({ ExternalKey, ID, Denomination }: SyncRecord['record'], { Item1 }: UpsertTuple): string {
  const key = ExternalKey ?? ID ?? Item1;
  return Denomination ? `${key} ${Denomination}` : String(key);
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

/** The number of principals and users that change. */
export function changesIn(counts: UpsertCounts): number {
  const names = Object.keys(noCounts) as (keyof UpsertCounts)[];
  return names.reduce((sum, name) => sum + (name === 'Unchanged' ? 0 : counts[name]), 0);
}

/** Describes counts in one line: `Principals: 1 created, 2 changed. Users: 3 registered, 1 disabled. 500 unchanged.` */
export function countsText(counts: UpsertCounts): string {
  const part = (names: readonly [keyof UpsertCounts, string][]) =>
    names
      .filter(([name]) => counts[name] > 0)
      .map(([name, word]) => `${grouped(counts[name])} ${word}`)
      .join(', ') || 'no changes';
  const principals = part([
    ['PrincipalsInserted', 'created'],
    ['PrincipalsUpdated', 'changed'],
  ]);
  const users = part([
    ['UsersRegistered', 'registered'],
    ['UsersUpdated', 'changed'],
    ['UsersDisabled', 'disabled'],
    ['UsersDeleted', 'deleted'],
  ]);
  return `Principals: ${principals}. Users: ${users}. Records without changes: ${grouped(counts.Unchanged)}.`;
}
