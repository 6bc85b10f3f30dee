import { noCounts } from '../import/calls.ts';
import { invitesUsers } from '../import/invitations.ts';
import { usersOf } from '../import/records.ts';
import { rowsOfUsers } from '../import/row-group.ts';
import type { PlannedRecord } from './plan.ts';
import type { SyncPlan } from './sync.ts';
import type { SyncRecord } from './sync-file.ts';

const { Unchanged: _, ...changes } = noCounts;

const noTotals = {
  ...changes,
  /** Principals that the file does not have. */
  PrincipalsDisabled: 0,
  PrincipalsUnchanged: 0,
  PrincipalsLeftOut: 0,
  /** Registered users that have no password yet, and were invited to set one. */
  UsersInvited: 0,
  /** Existing users of the file that were equal to it, apart from their passwords. */
  UsersUnchanged: 0,
  UsersLeftOut: 0,
};

/** The numbers of principals and users that a sync creates, changes, moves, removes, and leaves as they are. */
export type SyncTotals = Readonly<typeof noTotals>;

interface Applied {
  /** The number of principals that the file does not have and that are disabled. */
  readonly disabled: number;
  /** The records that the service has refused when the plan was applied. */
  readonly refused?: readonly SyncRecord[];
}

/** Counts the effects of a plan. */
export function totalsOfPlan({ calls, leftOut }: SyncPlan, { disabled, refused = [] }: Applied): SyncTotals {
  const totals = { ...noTotals, PrincipalsDisabled: disabled, UsersLeftOut: leftOut.length };
  const isRefused = new Set(refused);
  for (const record of calls.flatMap(({ records }) => records))
    if (record.tuple?.Item3 === false || isRefused.has(record.planned)) {
      totals.PrincipalsLeftOut++;
      totals.UsersLeftOut += rowsOfUsers(record.planned.members).length;
    } else addEffects(totals, record);
  return totals;
}

const userTotals = {
  register: 'UsersRegistered',
  edit: 'UsersUpdated',
  move: 'UsersMoved',
  disable: 'UsersDisabled',
  delete: 'UsersDeleted',
  none: 'UsersUnchanged',
} as const;

function addEffects(totals: typeof noTotals, { planned, tuple }: PlannedRecord): void {
  if (!tuple) {
    totals.PrincipalsUnchanged++;
    totals.UsersUnchanged += usersOf(planned.record).length;
    return;
  }
  const { Principal = 'unchanged', Users = [] } = tuple.Item6;
  if (Principal === 'inserted') totals.PrincipalsInserted++;
  else if (Principal === 'updated') totals.PrincipalsUpdated++;
  else totals.PrincipalsUnchanged++;
  const rows = rowsOfUsers(planned.members);
  for (const [at, { Operation }] of Users.entries()) {
    // Users after those of the rows are in another record of the file.
    if (Operation === 'none' && at >= rows.length) continue;
    totals[userTotals[Operation]]++;
    if (Operation === 'register' && invitesUsers([rows[at]?.user])) totals.UsersInvited++;
  }
}
