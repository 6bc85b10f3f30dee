import type { FieldErrors } from '../../lib/field-errors.ts';

export interface UsernameStore {
  /** Returns the subset of `keys` (mapped usernames) that stored users already have. */
  findTakenUsernames(keys: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface ExternalKeyStore {
  findExternalKeys(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export interface NewName {
  readonly key: string;
  readonly place: string;
}

/** The names that a record gives to users and to its principal. */
export interface NewNames {
  readonly usernames: readonly NewName[];
  readonly externalKey: NewName | null;
}

/** The stored names among those that a group of records gives. */
export interface StoredNames {
  readonly usernames: ReadonlySet<string>;
  /** The principals by their external keys. */
  readonly externalKeys: ReadonlyMap<string, number>;
}

export async function findStoredNames(
  names: readonly NewNames[],
  store: UsernameStore & ExternalKeyStore,
): Promise<StoredNames> {
  const usernames = names.flatMap((own) => own.usernames.map(({ key }) => key));
  const keys = names.flatMap(({ externalKey }) => externalKey?.key ?? []);
  const [stored, externalKeys] = await Promise.all([
    store.findTakenUsernames([...new Set(usernames)]),
    store.findExternalKeys([...new Set(keys)]),
  ]);
  return { usernames: stored, externalKeys };
}

/** The names that the valid records of a call give to users and principals: later records must not give them again. */
export class ClaimedNames {
  readonly #usernames = new Set<string>();
  readonly #externalKeys = new Set<string>();

  /**
   * Adds an error for each name that is taken. The names of a record without any error are then claimed. `principalId` is
   * the principal that gets the external key; null for a new one.
   */
  claim(names: NewNames, stored: StoredNames, principalId: number | null, errors: FieldErrors): void {
    const { usernames, externalKey } = names;
    const owner = externalKey ? stored.externalKeys.get(externalKey.key) : undefined;
    if (externalKey && owner !== undefined && owner !== principalId)
      errors.add(externalKey.place, 'EXTERNAL_KEY_TAKEN', { variant: 'stored', figures: { id: owner } });
    else if (externalKey && owner === undefined && this.#externalKeys.has(externalKey.key))
      errors.add(externalKey.place, 'EXTERNAL_KEY_TAKEN', { variant: 'call' });
    const own = new Set<string>();
    for (const { key, place } of usernames) {
      if (stored.usernames.has(key)) errors.add(place, 'USERNAME_TAKEN', { variant: 'stored' });
      else if (this.#usernames.has(key) || own.has(key))
        errors.add(place, 'USERNAME_TAKEN', { variant: 'call' });
      own.add(key);
    }
    if (!errors.none) return;
    for (const key of own) this.#usernames.add(key);
    if (externalKey) this.#externalKeys.add(externalKey.key);
  }
}
