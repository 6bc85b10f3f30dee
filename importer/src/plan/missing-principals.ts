import { ApiError } from '@anagrafe/client';
import type { ImportConnection } from '../import/calls.ts';
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
 * Returns the active principals that no record names. A principal without an `ExternalKey` counts only if the file names
 * principals by `ID`. Returns null if the API client may not read principals, or if too many are missing.
 */
export async function findMissingPrincipals(
  records: readonly SyncRecord[],
  { anagrafe, signal }: ImportConnection,
): Promise<MissingPrincipals | null> {
  const keys = new Set<unknown>();
  const ids = new Set<unknown>();
  for (const { record, expectedId } of records) {
    const { ID, ExternalKey } = record as { readonly ID?: unknown; readonly ExternalKey?: unknown };
    if (ExternalKey !== undefined) keys.add(ExternalKey);
    if (ID !== undefined) ids.add(ID);
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
      if (ids.has(ID) || [ExternalKey, ...Aliases].some((key) => key !== null && keys.has(key))) continue;
      if (missing.length === missingMax) return null;
      missing.push({ ID, ExternalKey, Denomination, users: UsersCount });
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return null;
    throw error;
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
