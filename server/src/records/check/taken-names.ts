import type { DetailsArgument } from '../../lib/error-codes.ts';
import type { FieldErrors } from '../../lib/field-errors.ts';
import type { StoredPrincipal } from '../fields/compared-values.ts';
import type { CheckStore } from './check.store.ts';
import { figuresOf } from './described-principal.ts';
import type { CallOptions } from './operation.ts';

export interface NewName {
  readonly key: string;
  readonly place: string;
  /** True if the item may have been meant as a reset of the user that has the username. */
  readonly mayBeReset?: boolean;
}

/** The names that a record gives to users and to its principal. */
export interface NewNames {
  readonly usernames: readonly NewName[];
  readonly externalKey: NewName | null;
}

/** The stored names among those that a group of records gives. */
interface StoredNames {
  /** The IDs of the principals by the usernames of their users. */
  readonly usernames: ReadonlyMap<string, number | null>;
  /** The principals by their external keys. */
  readonly externalKeys: ReadonlyMap<string, number | null>;
  /** The principals that have the usernames; empty if errors do not name them. */
  readonly owners: ReadonlyMap<number, StoredPrincipal>;
}

export async function findStoredNames(
  names: readonly NewNames[],
  store: CheckStore,
  { showsStored }: Pick<CallOptions, 'showsStored'>,
): Promise<StoredNames> {
  const keys = names.flatMap(({ externalKey }) => externalKey?.key ?? []);
  const wanted = names.flatMap((own) => own.usernames.map(({ key }) => key));
  const [usernames, externalKeys] = await Promise.all([
    store.findTakenUsernames([...new Set(wanted)]),
    store.findExternalKeys([...new Set(keys)]),
  ]);
  const owners = showsStored ? await store.findPrincipals(idsIn(usernames)) : new Map();
  return { usernames, externalKeys, owners };
}

/** Returns each principal once, without those that the caller does not see. */
export function idsIn(owners: ReadonlyMap<string, number | null>): number[] {
  return [...new Set([...owners.values()].filter((id) => id !== null))];
}

/** Adds an error for a username of a stored user. `owner` is its principal, if the caller may read it. */
export function refuseTakenUsername(
  place: string,
  owner: StoredPrincipal | undefined,
  errors: FieldErrors,
  hint: 'reset' | null = null,
): void {
  const figures = { ...(owner && figuresOf(owner)), ...(hint && { operation: hint }) };
  const variant = hint ?? (owner ? 'owner' : 'stored');
  const details: DetailsArgument<'USERNAME_TAKEN'> = [{ variant, ...(variant !== 'stored' && { figures }) }];
  errors.add(place, 'USERNAME_TAKEN', ...details);
}

/** Adds an error for the external key of a principal; null for one that the caller does not see. */
export function refuseTakenKey(place: string, owner: number | null, errors: FieldErrors): void {
  if (owner === null) errors.add(place, 'EXTERNAL_KEY_TAKEN', { variant: 'hidden' });
  else errors.add(place, 'EXTERNAL_KEY_TAKEN', { variant: 'stored', figures: { id: owner } });
}

/** The names that the valid records of a call give to users and principals: later records must not give them again. */
export class NamesOfCall {
  readonly #usernames = new Set<string>();
  readonly #externalKeys = new Set<string>();

  /**
   * Adds an error for each name that is taken. If the record has no error, its names are taken for the later records. `principalId` is
   * the principal that gets the external key; null for a new one.
   */
  refuseTakenOrAdd(
    names: NewNames,
    stored: StoredNames,
    principalId: number | null,
    errors: FieldErrors,
  ): void {
    const { usernames, externalKey } = names;
    const owner = externalKey ? stored.externalKeys.get(externalKey.key) : undefined;
    if (externalKey && owner !== undefined && (owner === null || owner !== principalId))
      refuseTakenKey(externalKey.place, owner, errors);
    else if (externalKey && owner === undefined && this.#externalKeys.has(externalKey.key))
      errors.add(externalKey.place, 'EXTERNAL_KEY_TAKEN', { variant: 'call' });
    const own = new Set<string>();
    for (const { key, place, mayBeReset = false } of usernames) {
      const userOwner = stored.usernames.get(key);
      if (userOwner !== undefined) {
        const hint = mayBeReset && userOwner !== null && userOwner === principalId ? 'reset' : null;
        refuseTakenUsername(place, stored.owners.get(userOwner ?? 0), errors, hint);
      } else if (this.#usernames.has(key) || own.has(key))
        errors.add(place, 'USERNAME_TAKEN', { variant: 'call' });
      own.add(key);
    }
    if (!errors.none) return;
    for (const key of own) this.#usernames.add(key);
    if (externalKey) this.#externalKeys.add(externalKey.key);
  }
}
