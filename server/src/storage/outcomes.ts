import type { Fault } from '../core/codes.ts';
import type { UserNames } from '../core/events/event.ts';
import { Faults } from '../core/faults.ts';
import { isObject } from '../core/fields/fields.ts';
import type { KeptRefusal } from '../core/jobs/kept-refusal.ts';
import type { AppliedUser, PlacedOutcome } from '../core/records/outcome.ts';
import type { Receipt } from '../core/records/writing.ts';
import { Turns } from '../core/turns.ts';
import type { Connection } from './database.ts';

/** So many users or faults of a record are written at once. */
const itemsAtOnce = 500;

/** A user of an applied record, as it is kept. */
export type KeptUser = readonly [id: number, operation: AppliedUser['operation']];
export type KeptFaults = readonly (readonly [place: string, faults: readonly Fault[]])[];

export interface OutcomeRow {
  readonly position: number;
  readonly principalId: number | null;
  readonly applied: readonly KeptUser[] | null;
  readonly refusal: Fault | null;
  readonly faults: KeptFaults | null;
}

export const outcomeColumns = 'position, principal_id as "principalId", applied, refusal, faults';
export const outcomeColumnsWithoutUsers =
  'position, principal_id as "principalId", null as applied, refusal, faults';

/** The outcome of a record, for the statement that writes it: kept with it or not at all; its three parameters begin at `first`. */
export const kept = (first: number) => `, kept as (
    insert into anagrafe.outcomes (call_id, position, principal_id, users, applied)
    select $${first}, $${first + 1}, id, jsonb_array_length($${first + 2}::jsonb), $${first + 2}::jsonb from principal
  )`;

export function keptValues(
  receipt: Receipt | null,
  users: readonly Pick<AppliedUser, 'id' | 'operation'>[],
): unknown[] {
  if (!receipt?.kept) return [];
  const keptUsers = users.map(({ id, operation }): KeptUser => [id, operation]);
  return [receipt.callId, receipt.position, JSON.stringify(keptUsers)];
}

/** Its place in the call, for the journal, where its outcome is not kept. */
export function placeOf(receipt: Receipt | null): number | null {
  return receipt && !receipt.kept ? receipt.position : null;
}

/** The details of a row of the journal that has it. */
export const placed = (parameter: number) =>
  `case when $${parameter}::integer is not null then jsonb_build_object('position', $${parameter}::integer) end`;

/** Keeps refusals; where a record has its outcome already, that one stays. The positions of those that were kept. */
export async function keepRefusals(
  connection: Connection,
  callId: string,
  refusals: readonly KeptRefusal[],
): Promise<Set<number>> {
  if (refusals.length === 0) return new Set();
  const kept = await connection.query<{ position: number }>(`${insertRefusals(1)} returning position`, [
    callId,
    await refusalsJson(refusals),
  ]);
  return new Set(kept.map(({ position }) => position));
}

/** Takes the ID of the call and the refusals as JSON, from the parameter `first` on. */
export const insertRefusals = (first: number) => `
  insert into anagrafe.outcomes (call_id, position, principal_id, users, refusal, faults, record, refused_at)
  select $${first}::uuid, position, principal_id, users, refusal, faults, record, clock_timestamp()
    from json_to_recordset($${first + 1}::json)
         as kept (position integer, principal_id bigint, users integer, refusal jsonb, faults jsonb, record json)
  on conflict (call_id, position) do nothing`;

export async function refusalsJson(refusals: readonly KeptRefusal[]): Promise<string> {
  const turns = new Turns();
  const rows: string[] = [];
  for (const { position, users, outcome, record } of refusals) {
    const faults = [...outcome.faults.byPlace];
    const row = { position, users, principal_id: outcome.id, refusal: outcome.refusal, faults, record };
    rows.push(users <= itemsAtOnce ? storableJson(row) : await largeJson(row, turns));
    if (turns.over) await turns.next();
  }
  return `[${rows.join(',')}]`;
}

/** PostgreSQL's JSON takes no NUL, which a text that was refused may hold. A backslash that was sent stands twice. */
function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\\\|\\u0000/g, (found) => (found === '\\u0000' ? '\\ufffd' : found));
}

/** The same, a few hundred items at a time: a record may have a hundred thousand users, each with its faults. */
async function largeJson(value: unknown, turns: Turns): Promise<string> {
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += itemsAtOnce) {
      parts.push(storableJson(value.slice(at, at + itemsAtOnce)).slice(1, -1));
      if (turns.over) await turns.next();
    }
    return `[${parts.join(',')}]`;
  }
  if (!isObject(value)) return storableJson(value);
  for (const name of Object.keys(value))
    parts.push(`${storableJson(name)}:${await largeJson(value[name], turns)}`);
  return `{${parts.join(',')}}`;
}

export async function toOutcomes(
  connection: Connection,
  rows: readonly OutcomeRow[],
): Promise<PlacedOutcome[]> {
  const ids = rows.flatMap((row) => (row.applied ?? []).map(([id]) => id));
  const names = ids.length > 0 ? await namesOf(connection, ids) : new Map<number, UserNames>();
  return rows.map((row) => ({
    position: row.position,
    id: row.principalId,
    refusal: row.refusal,
    faults: toFaults(row.faults),
    users: (row.applied ?? []).map(([id, operation]) => withNames({ id, operation }, names)),
  }));
}

/** A user of an applied record as it is told, whatever was done to it. */
export function withNames(
  { id, operation }: Pick<AppliedUser, 'id' | 'operation'>,
  names: ReadonlyMap<number, UserNames>,
): AppliedUser {
  const { username = '', email = null } = names.get(id) ?? {};
  return { id, username, email, operation };
}

/** A row of a statement that changes users; empty but for the principal where it changed none. */
export type ChangedRow = UserNames & { readonly id: number };

export async function namesOf(
  connection: Connection,
  ids: readonly number[],
): Promise<Map<number, UserNames>> {
  const rows = await connection.query<UserNames & { id: number }>(
    'select id, username, email from anagrafe.users where id = any($1)',
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

export function toFaults(kept: KeptFaults | null): Faults {
  const faults = new Faults();
  for (const [place, found] of kept ?? []) for (const fault of found) faults.put(place, fault);
  return faults;
}
