import { ApiError } from '@anagrafe/client';
import type { ImportConnection } from '../import/calls.ts';
import { lookAlikeIds } from '../import/look-alikes.ts';
import type { PlannedCall } from './plan.ts';
import { type RemovalLimit, withLimit } from './removals.ts';
import type { SyncRecord } from './sync-file.ts';

/** The treatment of stored principals that the file does not have. */
export type MissingPrincipalsPolicy = 'keep' | 'report' | 'disable';

export interface MissingPrincipal {
  readonly ID: number;
  readonly ExternalKey: string | null;
  readonly Denomination: string | null;
  /** The number of its users. */
  readonly users: number;
}

export interface MissingPrincipals {
  readonly missing: readonly MissingPrincipal[];
  /** The number of active principals that the file could have, and of their users. */
  readonly principals: number;
  readonly users: number;
}

/** Maximum number of missing principals. If there are more, the file is one of a few principals. */
const missingMax = 100_000;

/**
 * Returns the active principals that no record names, and that no refused record looks like: their keys may be damaged in
 * the file. A principal without an `ExternalKey` counts only if the file names principals by `ID`. Returns null if the API client may not read principals, or if too many are missing.
 */
export async function findMissingPrincipals(
  calls: readonly PlannedCall<SyncRecord>[],
  { anagrafe, signal }: ImportConnection,
): Promise<MissingPrincipals | null> {
  const keys = new Set<unknown>();
  const ids = new Set<unknown>();
  const damaged = new Set<number>();
  for (const { planned, tuple } of calls.flatMap(({ records }) => records)) {
    const { record, expectedId } = planned;
    const { ID, ExternalKey } = record as { readonly ID?: unknown; readonly ExternalKey?: unknown };
    if (ExternalKey !== undefined) keys.add(ExternalKey);
    if (ID !== undefined) ids.add(ID);
    for (const id of lookAlikeIds(tuple?.Item5 ?? {})) damaged.add(id);
    if (expectedId !== null) ids.add(expectedId);
  }
  const missing: MissingPrincipal[] = [];
  let [principals, users] = [0, 0];
  try {
    for await (const found of anagrafe.list({ PageSize: 100, UsersShown: 0 }, { signal })) {
      const { ID, ExternalKey, Denomination, State, UsersCount, Aliases = [] } = found;
      if (State !== 'active' || (ExternalKey === null && ids.size === 0)) continue;
      principals++;
      users += UsersCount;
      if (
        ids.has(ID) ||
        damaged.has(ID) ||
        [ExternalKey, ...Aliases].some((key) => key !== null && keys.has(key))
      )
        continue;
      if (missing.length === missingMax) return null;
      missing.push({ ID, ExternalKey, Denomination, users: UsersCount });
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return null;
    throw error;
  }
  return { missing, principals, users };
}

/** Principals that would be disabled, or their users, above a limit. */
export interface ExcessiveDisables {
  readonly unit: 'principal' | 'user';
  readonly count: number;
  readonly stored: number;
  readonly allowed: number;
}

/** Returns the principals that would be disabled, or their users, if they are above the limit; otherwise null. */
export function findExcessiveDisables(
  disabled: readonly MissingPrincipal[],
  { principals, users }: MissingPrincipals,
  limit: RemovalLimit,
): ExcessiveDisables | null {
  const ofUsers = disabled.reduce((sum, principal) => sum + principal.users, 0);
  for (const [unit, count, stored] of [
    ['principal', disabled.length, principals],
    ['user', ofUsers, users],
  ] as const) {
    const { allowed } = withLimit({ principal: null, removals: count, storedUsers: stored }, limit);
    if (count > allowed) return { unit, count, stored, allowed };
  }
  return null;
}

/** Maximum number of records of a call. */
const principalsPerCall = 500;

/** Disables principals, and returns the messages of those that could not be disabled. */
export async function disablePrincipals(
  missing: readonly MissingPrincipal[],
  name: string,
  { anagrafe, signal }: ImportConnection,
): Promise<readonly { readonly principal: MissingPrincipal; readonly message: string }[]> {
  const failed = [];
  for (let at = 0; at < missing.length; at += principalsPerCall) {
    const some = missing.slice(at, at + principalsPerCall);
    const records = some.map(({ ID }) => ({ ID, State: 'disabled' as const }));
    const { tuples } = await anagrafe.setStates(records, { idempotencyKey: `${name}-${at}`, signal });
    for (const [index, { Item3, Item4 }] of tuples.entries()) {
      const principal = some[index];
      if (!Item3 && principal) failed.push({ principal, message: Item4 ?? '' });
    }
  }
  return failed;
}
