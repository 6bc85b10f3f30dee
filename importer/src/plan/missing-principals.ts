import { type ImportConnection, unlessForbidden } from '../import/calls.ts';
import { lookAlikeIds } from '../import/look-alikes.ts';
import type { PlannedCall } from './plan.ts';
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
export function findMissingPrincipals(
  calls: readonly PlannedCall<SyncRecord>[],
  connection: ImportConnection,
): Promise<MissingPrincipals | null> {
  return unlessForbidden(readMissingPrincipals(calls, connection));
}

async function readMissingPrincipals(
  calls: readonly PlannedCall<SyncRecord>[],
  { anagrafe, signal }: ImportConnection,
): Promise<MissingPrincipals | null> {
  const keys = new Set<unknown>();
  const ids = new Set<unknown>();
  const alike = new Set<number>();
  for (const { planned, tuple } of calls.flatMap(({ records }) => records)) {
    const { record, expectedId } = planned;
    const { ID, ExternalKey } = record as { readonly ID?: unknown; readonly ExternalKey?: unknown };
    if (ExternalKey !== undefined) keys.add(ExternalKey);
    for (const id of [ID, expectedId]) if (id !== undefined && id !== null) ids.add(id);
    // The key of such a record may be damaged.
    for (const id of lookAlikeIds(tuple?.Item5 ?? {})) alike.add(id);
  }
  const missing: MissingPrincipal[] = [];
  let [principals, users] = [0, 0];
  for await (const found of anagrafe.list({ PageSize: 100, UsersShown: 0 }, { signal })) {
    const { ID, ExternalKey, Denomination, State, UsersCount, Aliases = [] } = found;
    if (State !== 'active' || (ExternalKey === null && ids.size === 0)) continue;
    principals++;
    users += UsersCount;
    if (ids.has(ID) || alike.has(ID) || [ExternalKey, ...Aliases].some((key) => keys.has(key))) continue;
    if (missing.length === missingMax) return null;
    missing.push({ ID, ExternalKey, Denomination, users: UsersCount });
  }
  return { missing, principals, users };
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
