import type { CheckStore } from '../check/check.store.ts';
import type { CallOptions, CheckTools } from '../check/operation.ts';
import { type SentAttributes, setStoredAttributes } from '../check/stored-attributes.ts';
import { idsIn } from '../check/taken-names.ts';
import type { StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import { type ParsedRecord, usersWith } from '../parse/parsed-record.ts';
import type { Upsert } from '../parse/parsed-user.ts';

/** Maximum number of attempts to read principals and users that other clients insert meanwhile. */
const readsMax = 3;

export interface StoredValues {
  readonly principals: ReadonlyMap<ParsedRecord, StoredPrincipal>;
  /** By mapped username. */
  readonly users: ReadonlyMap<string, StoredUser>;
  /** The mapped usernames of users that a limited caller does not see. */
  readonly hiddenUsernames: ReadonlySet<string>;
  /** The records whose external key is that of a principal that a limited caller does not see. */
  readonly hiddenKeys: ReadonlySet<ParsedRecord>;
  /** The hashes of users for whom a hash was sent, by their IDs: an equal one changes nothing. */
  readonly hashes: ReadonlyMap<number, string>;
  /** The principals of users that other principals have, by their IDs. Empty if nothing depends on them. */
  readonly owners: ReadonlyMap<number, StoredPrincipal>;
}

/** Reads the stored values that the records of `irs/upsert` are compared with. */
export class StoredReader {
  readonly #store: CheckStore;
  readonly #options: CallOptions;
  readonly #tools: CheckTools;

  constructor(store: CheckStore, options: CallOptions, tools: CheckTools) {
    this.#store = store;
    this.#options = options;
    this.#tools = tools;
  }

  /**
   * Reads principals and users. The versions are read before the users, so that a later change of a user changes the
   * version that is written to. If another client inserts a principal between the two reads, both are repeated:
   * its users would otherwise seem to belong to another principal.
   */
  async read(parsedRecords: readonly ParsedRecord[]): Promise<StoredValues> {
    for (let attempt = 1; ; attempt++) {
      const { principals, hiddenKeys } = await this.#findPrincipals(parsedRecords);
      const users = await this.#findUsers(parsedRecords);
      const suspects = parsedRecords.filter(
        (parsed) =>
          parsed.externalKey !== null &&
          !principals.has(parsed) &&
          parsed.users?.some(({ username }) => username && users.has(username.key)),
      );
      const isComplete =
        suspects.length === 0 ||
        attempt === readsMax ||
        (await this.#findPrincipals(suspects)).principals.size === 0;
      if (!isComplete) continue;
      const existing = existingUsers(parsedRecords, users);
      await this.#setAttributes(existing);
      const [hashes, owners] = [await this.#findHashes(existing), await this.#findOwners(principals, users)];
      const hiddenUsernames = await this.#findHiddenUsernames(parsedRecords, users);
      return { principals, users, hiddenUsernames, hiddenKeys, hashes, owners };
    }
  }

  async #findPrincipals(
    parsedRecords: readonly ParsedRecord[],
  ): Promise<Pick<StoredValues, 'principals' | 'hiddenKeys'>> {
    const ids = parsedRecords.map(({ principalId }) => principalId).filter((id) => id !== null);
    const keys = new Set(parsedRecords.map(({ externalKey }) => externalKey).filter((key) => key !== null));
    const idsByKey = await this.#store.findExternalKeys([...keys]);
    const byId = await this.#store.findPrincipals([...new Set([...ids, ...idsIn(idsByKey)])]);
    // By the key that the principal has now: it may have been changed between the two reads.
    const byKey = new Map(
      [...byId.values()].flatMap((principal) =>
        [principal.fields.ExternalKey, ...principal.aliases].map((key) => [key, principal] as const),
      ),
    );
    const principals = new Map(
      parsedRecords.flatMap((parsed): [ParsedRecord, StoredPrincipal][] => {
        const { namedBy, principalId, externalKey } = parsed;
        const stored = namedBy === 'ID' ? byId.get(principalId ?? 0) : byKey.get(externalKey ?? '');
        return stored ? [[parsed, stored]] : [];
      }),
    );
    const hidden = parsedRecords.filter(({ externalKey }) => idsByKey.get(externalKey ?? '') === null);
    return { principals, hiddenKeys: new Set(hidden) };
  }

  async #findUsers(parsedRecords: readonly ParsedRecord[]): Promise<Map<string, StoredUser>> {
    const wanted = { ids: [], usernameKeys: usernamesOf(parsedRecords) };
    const found = await this.#store.findUsers(wanted);
    return new Map(found.map((user) => [user.usernameKey, user]));
  }

  async #findHiddenUsernames(
    parsedRecords: readonly ParsedRecord[],
    users: ReadonlyMap<string, StoredUser>,
  ): Promise<Set<string>> {
    if (this.#options.callerTags === null) return new Set();
    const keys = usernamesOf(parsedRecords).filter((key) => !users.has(key));
    return new Set((await this.#store.findTakenUsernames(keys)).keys());
  }

  async #setAttributes(existing: readonly ExistingUser[]): Promise<void> {
    const sent = existing.flatMap(({ sent: { fields }, stored: user }): SentAttributes[] =>
      fields.Attributes === undefined ? [] : [{ user, attributes: fields.Attributes }],
    );
    await setStoredAttributes(sent, this.#store, this.#tools);
  }

  async #findHashes(existing: readonly ExistingUser[]): Promise<ReadonlyMap<number, string>> {
    const hashed = existing.filter(({ sent }) => sent.password?.password?.text === null);
    if (this.#options.passwords === 'keep' || hashed.length === 0) return new Map();
    return this.#store.findPasswordHashes(hashed.map(({ stored }) => stored.id));
  }

  async #findOwners(
    principals: StoredValues['principals'],
    users: StoredValues['users'],
  ): Promise<ReadonlyMap<number, StoredPrincipal>> {
    if (this.#options.moves === 'refuse' && !this.#options.showsStored) return new Map();
    const own = new Map([...principals.values()].map((principal) => [principal.id, principal]));
    const others = [...users.values()].map(({ principalId }) => principalId).filter((id) => !own.has(id));
    return new Map([...own, ...(await this.#store.findPrincipals([...new Set(others)]))]);
  }
}

function usernamesOf(parsedRecords: readonly ParsedRecord[]): string[] {
  const keys = parsedRecords.flatMap(({ users }) =>
    (users ?? []).flatMap(({ username }) => username?.key ?? []),
  );
  return [...new Set(keys)];
}

interface ExistingUser {
  readonly sent: Upsert;
  readonly stored: StoredUser;
}

function existingUsers(
  parsedRecords: readonly ParsedRecord[],
  users: ReadonlyMap<string, StoredUser>,
): ExistingUser[] {
  return parsedRecords.flatMap((parsed) =>
    usersWith(parsed, 'upsert').flatMap((sent) => {
      const stored = users.get(sent.username?.key ?? '');
      return stored ? [{ sent, stored }] : [];
    }),
  );
}
