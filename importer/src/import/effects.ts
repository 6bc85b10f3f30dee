import type { Job, UpsertTuple } from '@anagrafe/client';
import type { ImportConnection, ImportOperation } from './calls.ts';
import { invitesUsers } from './invitations.ts';
import { type CombinedRecord, hasSecret } from './records.ts';
import { rowsOfUsers } from './row-group.ts';
import { type ImportTotals, noTotals } from './totals.ts';

/** What a record has done with its principal and users, or would do. */
export type Effect = UpsertTuple['Item6'];

const userTotals = {
  register: 'UsersRegistered',
  edit: 'UsersUpdated',
  move: 'UsersMoved',
  none: 'UsersUnchanged',
} as const;

/** Sums up the effects of applied records on their users, and finds the rows without an effect. */
export class EffectLog {
  readonly #totals = { ...noTotals };
  /** The rows that change nothing, because all of their values were stored before. */
  readonly unchanged = new Set<number>();
  /** The rows with a user that is registered. */
  readonly registered = new Set<number>();
  /** The row of each user that existed, and whose password was not used. */
  readonly passwordsNotUsed: number[] = [];

  /** The numbers of users. Those of principals are 0: several records can be about one of them. */
  get totals(): ImportTotals {
    return { ...this.#totals, PasswordsNotUsed: this.passwordsNotUsed.length };
  }

  add({ members }: CombinedRecord, effect: Effect): void {
    for (const number of rowsWithoutChanges(members, effect)) this.unchanged.add(number);
    for (const [at, { row, user }] of rowsOfUsers(members).entries()) {
      const operation = effect.Users?.[at]?.Operation;
      if (operation === undefined || operation === 'disable' || operation === 'delete') continue;
      this.#totals[userTotals[operation]]++;
      if (operation !== 'register') {
        if (hasSecret(user)) this.passwordsNotUsed.push(row.number);
        continue;
      }
      this.registered.add(row.number);
      if (invitesUsers([user])) this.#totals.UsersInvited++;
    }
  }
}

/**
 * Returns the numbers of the rows of a record that change nothing: their users stay unchanged, and they state no value of
 * a principal that the record changes.
 */
export function rowsWithoutChanges(
  members: CombinedRecord['members'],
  { Principal, Users = [] }: Effect,
): number[] {
  if (Principal === 'inserted') return [];
  const changing = new Set<number>();
  for (const [index, { row }] of rowsOfUsers(members).entries())
    if (Users[index]?.Operation !== 'none') changing.add(row.number);
  if (Principal !== 'unchanged')
    for (const { row, fields } of members) if (Object.keys(fields).length > 0) changing.add(row.number);
  return members.flatMap(({ row }) => (changing.has(row.number) ? [] : [row.number]));
}

/** Returns the effect of a record whose users are all registered, or all stay as they are. */
export function effectOfAll(
  { members }: CombinedRecord,
  Principal: NonNullable<Effect['Principal']>,
  Operation: 'register' | 'none',
): Effect {
  const Users = rowsOfUsers(members).map(() => ({ ID: null, Username: null, Email: null, Operation }));
  return { Principal, Users };
}

interface EndedJob {
  readonly job: Job;
  readonly operation: ImportOperation;
  /** The records of the job, in their order. */
  readonly records: readonly CombinedRecord[];
  readonly applied: readonly CombinedRecord[];
}

/**
 * Yields the applied records of an ended job with their effects. All users of a record of `irs/insert` and `irs/update` are
 * new. Reading the results of `irs/upsert` adds a third to the CPU time of an import: they are read only if some users of the
 * job existed and others did not.
 */
export async function* effectsOf(
  { job: { ID, Counts }, operation, records, applied }: EndedJob,
  { anagrafe, signal }: ImportConnection,
): AsyncGenerator<readonly [CombinedRecord, Effect]> {
  const users = applied.map(({ members }) => rowsOfUsers(members).length);
  const areNew = users.every((count) => count > 0) && Counts?.UsersRegistered === sumOf(users);
  if (operation !== 'upsert' || areNew)
    for (const record of applied) yield [record, effectOfAll(record, 'inserted', 'register')];
  else if (Counts?.Unchanged === applied.length)
    for (const record of applied) yield [record, effectOfAll(record, 'unchanged', 'none')];
  else if (applied.length > 0) {
    let position = 0;
    for await (const tuple of anagrafe.jobs.tuples(ID, { representation: true, pageSize: 500, signal })) {
      const record = records[position++];
      if (record && tuple.Item3) yield [record, tuple.Item6 as Effect];
    }
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
