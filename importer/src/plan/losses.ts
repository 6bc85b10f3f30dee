import type { Anagrafe } from '@anagrafe/client';
import type { Comparison } from './compare-sync.ts';
import type { MissingPrincipal, MissingPrincipals } from './missing-principals.ts';
import type { Moves } from './moves.ts';
import { type PlannedCall, storedUsersOf } from './plan.ts';
import type { SyncPlan } from './sync.ts';

/** Users or principals that a plan would remove, move or disable. */
export interface Losses {
  /** `disable` is that of principals which the file does not have; `remove` disables or deletes users. */
  readonly action: 'remove' | 'move' | 'disable';
  /** The ExternalKey or ID of the principal that loses users; null for all of them together. */
  readonly principal: string | null;
  readonly unit: 'principal' | 'user';
  readonly count: number;
  readonly stored: number;
  /** The largest number that the limit allows. */
  readonly allowed: number;
}

interface LossLimit {
  /** The share of what is stored, in percent. */
  readonly maxPercent: number;
  /** The number that may be lost in any case. */
  readonly alwaysAllowed: number;
}

/**
 * Returns losses above the limit, of all principals together or of one of them; null if there are none: many losses can
 * mean that the file is incomplete.
 */
export async function findExcessiveLosses(
  {
    plan,
    moves,
    disables,
    gone,
  }: Pick<Comparison, 'moves' | 'disables' | 'gone'> & {
    readonly plan: Pick<SyncPlan, 'calls'>;
  },
  limit: LossLimit,
  anagrafe: Anagrafe,
): Promise<Losses | null> {
  return (
    findExcessive(removalsIn(plan.calls), limit) ??
    (await findExcessiveMoves(moves, limit, anagrafe)) ??
    findExcessive(gone ? disablesIn(disables, gone) : [], limit)
  );
}

type Loss = Omit<Losses, 'allowed'>;

function findExcessive(losses: readonly Loss[], limit: LossLimit): Losses | null {
  const found = losses.find((loss) => loss.count > allowedOf(loss, limit));
  return found ? { ...found, allowed: allowedOf(found, limit) } : null;
}

function allowedOf({ stored }: Pick<Loss, 'stored'>, { maxPercent, alwaysAllowed }: LossLimit): number {
  return Math.max(alwaysAllowed, Math.floor((stored * maxPercent) / 100));
}

/** Returns the removals of all principals together, and those of each of them. */
function removalsIn(calls: readonly PlannedCall[]): Loss[] {
  const ofPrincipals = calls
    .flatMap(({ records }) => records)
    .map((record): Loss => {
      const { ExternalKey, ID } = record.planned.record as {
        readonly ID?: number;
        readonly ExternalKey?: string;
      };
      const users = record.tuple?.Item3 ? (record.tuple.Item6.Users ?? []) : [];
      const count = users.filter(({ Operation }) => Operation === 'disable' || Operation === 'delete').length;
      return {
        action: 'remove',
        unit: 'user',
        principal: String(ExternalKey ?? ID),
        count,
        stored: storedUsersOf(record),
      };
    });
  const sum = (name: 'count' | 'stored') => ofPrincipals.reduce((total, each) => total + each[name], 0);
  const all: Loss = {
    action: 'remove',
    unit: 'user',
    principal: null,
    count: sum('count'),
    stored: sum('stored'),
  };
  return [all, ...ofPrincipals];
}

function disablesIn(disables: readonly MissingPrincipal[], { principals, users }: MissingPrincipals): Loss[] {
  const ofUsers = disables.reduce((sum, principal) => sum + principal.users, 0);
  return [
    { action: 'disable', unit: 'principal', principal: null, count: disables.length, stored: principals },
    { action: 'disable', unit: 'user', principal: null, count: ofUsers, stored: users },
  ];
}

/**
 * Reads the principals that lose more users than are always allowed, and others only until all of them together have
 * enough users for the moves.
 */
async function findExcessiveMoves(
  { count, users, storedUsers }: Moves,
  limit: LossLimit,
  anagrafe: Anagrafe,
): Promise<Losses | null> {
  if (count <= limit.alwaysAllowed) return null;
  const losses = new Map<number, number>();
  for (const { IRID } of users.values()) losses.set(IRID, (losses.get(IRID) ?? 0) + 1);
  const knownOf = (ID: number, lost: number) => lost + (storedUsers.get(ID) ?? 0);
  let stored = 0;
  for (const [ID, lost] of losses) stored += knownOf(ID, lost);
  for (const [ID, lost] of [...losses].toSorted(([, one], [, other]) => other - one)) {
    if (lost <= limit.alwaysAllowed && count <= allowedOf({ stored }, limit)) return null;
    for await (const { ExternalKey, UsersCount } of anagrafe.list({ ID, PageSize: 1, UsersShown: 0 })) {
      const principal = ExternalKey ?? String(ID);
      const own: Loss = { action: 'move', unit: 'user', principal, count: lost, stored: UsersCount };
      const found = findExcessive([own], limit);
      if (found) return found;
      stored += UsersCount - knownOf(ID, lost);
    }
  }
  return findExcessive([{ action: 'move', unit: 'user', principal: null, count, stored }], limit);
}
