import { type PasswordHash, parsePasswordHash } from '../passwords/imported-hash.ts';

/** The stored hashes of one format and cost. */
export interface HashProfile {
  /** One of the hashes. */
  readonly example: string;
  readonly count: number;
}

export interface DecoyTools {
  /** Counts the stored hashes by profile, in an order that does not depend on the counts. */
  countProfiles(): Promise<readonly HashProfile[]>;
  /** Returns a keyed digest, so that a caller cannot compute the decoy of a username. */
  throttleDigest(text: string): Buffer;
  needsRehash(hash: string): boolean;
  /** A hash of the configured cost, for a service without users. */
  readonly ownHash: string;
  onError(error: unknown): void;
  /** The clock, in milliseconds. */
  now?(): number;
}

/** Time in milliseconds after which the stored hashes are counted again. */
const countMs = 600_000;

/**
 * Chooses the hash that the password of an unknown username is verified against, so that the response time does not
 * reveal which accounts exist. Formats and costs are as frequent among the decoys as among the stored hashes, and a
 * username has the same decoy at each attempt, as long as the shares stay the same.
 */
export class DecoyHashes {
  readonly #tools: DecoyTools;
  readonly #now: () => number;
  #countedAt = 0;
  #decoys: readonly { readonly hash: string; readonly count: number }[] = [];

  constructor(tools: DecoyTools) {
    this.#tools = tools;
    this.#now = tools.now ?? (() => performance.now());
  }

  /** Counts the stored hashes. If that fails, the last count stays in use. */
  async count(): Promise<void> {
    const { countProfiles, needsRehash, onError } = this.#tools;
    this.#countedAt = this.#now();
    try {
      const profiles = await countProfiles();
      // The current profile is the last one: as users sign in, the share of imported hashes falls, and a decoy changes
      // from an imported profile to the current one, like the hash of a user.
      const ordered = [true, false].flatMap((old) =>
        profiles.filter((at) => needsRehash(at.example) === old),
      );
      this.#decoys = ordered.flatMap(({ example, count }) => {
        const parsed = parsePasswordHash(example);
        return parsed ? [{ hash: decoyOf(parsed), count }] : [];
      });
    } catch (error) {
      onError(error);
    }
  }

  hashFor(username: string): string {
    if (this.#now() - this.#countedAt >= countMs) void this.count();
    const total = this.#decoys.reduce((sum, { count }) => sum + count, 0);
    let place = (this.#tools.throttleDigest(`decoy ${username}`).readUInt32BE() / 2 ** 32) * total;
    for (const { hash, count } of this.#decoys) {
      if (place < count) return hash;
      place -= count;
    }
    return this.#tools.ownHash;
  }
}

/** Returns a hash that costs as much to verify and matches no password: its salt and key are zeros. */
function decoyOf(hash: PasswordHash): string {
  switch (hash.kind) {
    case 'argon2': {
      const { algorithm, version, memoryKib, passes, parallelism } = hash;
      return `$${algorithm}$v=${version}$m=${memoryKib},t=${passes},p=${parallelism}$${zeros(16)}$${zeros(32)}`;
    }
    case 'bcrypt':
      return `$2b$${String(hash.cost).padStart(2, '0')}$${'.'.repeat(53)}`;
    case 'pbkdf2':
      return `$pbkdf2-${hash.digest}$i=${hash.iterations}$${zeros(16)}$${zeros(hash.key.length)}`;
  }
}

/** Encodes zero bytes in base64 without padding. */
function zeros(bytes: number): string {
  return Buffer.alloc(bytes).toString('base64').replaceAll('=', '');
}
