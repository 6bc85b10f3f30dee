import { createHmac, type Hmac, hkdfSync } from 'node:crypto';
import { ApiError } from '../lib/field-errors.ts';
import { decrypt, encrypt } from './cipher.ts';

const keyBytes = 32;

/** A master key that another one has replaced. What it protected once stays readable without it. */
export interface FormerMasterKey {
  readonly identity: Buffer;
  /** True while a retry may have a fingerprint of this key. */
  readonly isRecent: boolean;
  readonly replacedAt: Date;
  /** The hashes of the audit log up to this position were made with this key. */
  readonly lastPosition: number;
  /** The keys that are still needed, encrypted with the master key that is in use. */
  readonly derivedKeys: Buffer;
  /** The time from which no stored value was encrypted with this key; null if some may be. */
  readonly retiredAt: Date | null;
}

/** The master keys of a database. */
export interface MasterKeys {
  /** Identifies the key that is in use. */
  readonly current: Buffer;
  /** The oldest one first. */
  readonly former: readonly FormerMasterKey[];
}

/** The keys that are derived from one master key, each for one purpose. */
interface DerivedKeys {
  readonly identity: Buffer;
  readonly fingerprint: Buffer;
  readonly hashChain: Buffer;
  readonly throttle: Buffer;
  readonly wrapping: Buffer;
  readonly secret: Buffer;
  readonly backup: Buffer;
  readonly backupTag: Buffer;
}

/** The derived keys of a former master key that are needed after its rotation. */
type FormerKeys = Pick<DerivedKeys, 'identity' | 'fingerprint' | 'hashChain' | 'throttle'> &
  Pick<FormerMasterKey, 'isRecent' | 'lastPosition'>;

/** The purpose of an encrypted value: a secret, or the key of a job. */
export type Purpose = 'secret' | 'wrapping';

/** A fingerprint in progress. Its digests are those of each key that a stored one may have, the present key first. */
export interface Fingerprint {
  update(data: string | Buffer): this;
  digests(): readonly Buffer[];
}

/** A connection to the database. */
export interface Queries {
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** The database uses a master key that this process does not have, or that it does not have yet. */
export class MasterKeyMissing extends ApiError<'UNAVAILABLE'> {
  constructor() {
    const seconds = 5;
    super('UNAVAILABLE', { variant: 'masterKey', figures: { seconds }, retryAfterSeconds: seconds });
  }
}

/**
 * Encrypts and signs under keys that are derived from the master key; each purpose has a key of its own. It may hold several
 * master keys: all of them decrypt, and the one that the database names encrypts.
 */
export class KeyRing {
  readonly #held = new Map<string, DerivedKeys>();
  #current: DerivedKeys;
  /** True if the database names a key that is not held: to encrypt with another one could lose the value. */
  #isOutdated = false;
  #former: readonly FormerKeys[] = [];
  /** Reads the master keys of the database again. Throws `MasterKeyMissing` if the one in use is not held. */
  refresh: (connection?: Queries) => Promise<void> = async () => undefined;
  /**
   * Keeps the key in use until the end of the transaction. What is encrypted after it, and stored by this transaction, is
   * not missed by a rotation.
   */
  lock: (connection: Queries) => Promise<void> = async () => undefined;

  /** The first key is in use until `use` names another one. */
  constructor(...masterKeys: readonly Buffer[]) {
    this.hold(masterKeys);
    this.#current = [...this.#held.values()][0] as DerivedKeys;
  }

  hold(masterKeys: readonly Buffer[]): void {
    for (const masterKey of masterKeys) {
      const keys = derivedKeys(masterKey);
      this.#held.set(keys.identity.toString('hex'), keys);
    }
  }

  /** Equal for two services if and only if they use the same master key; it reveals nothing else about the key. */
  get identity(): Buffer {
    return this.#current.identity;
  }

  /** The identities of all keys, in the order given. */
  get identities(): readonly Buffer[] {
    return [...this.#held.values()].map(({ identity }) => identity);
  }

  /** True if the database names a key that is not held. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  isFormer(identity: Buffer): boolean {
    return this.#former.some((former) => former.identity.equals(identity));
  }

  holds(identity: Buffer): boolean {
    return this.#held.has(identity.toString('hex'));
  }

  /** Follows the database, but not an answer from before a rotation. Throws `MasterKeyMissing` if the key in use is not held. */
  use({ current, former }: MasterKeys): void {
    if (this.isFormer(current)) return;
    const keys = this.#held.get(current.toString('hex'));
    this.#isOutdated = !keys;
    if (!keys) throw new MasterKeyMissing();
    this.#current = keys;
    this.#former = former.map(({ identity, derivedKeys, isRecent, lastPosition }) => {
      const opened = this.#decrypt(derivedKeys, 'secret', formerName(identity));
      const part = (nth: number) => opened.subarray(nth * keyBytes, (nth + 1) * keyBytes);
      return {
        ...{ identity, isRecent, lastPosition, fingerprint: part(0), hashChain: part(1), throttle: part(2) },
      };
    });
  }

  /** Returns what stays needed of the key in use, encrypted with the key that replaces it. */
  derivedKeysFor(replacement: Buffer): Buffer {
    const { fingerprint, hashChain, throttle, identity } = this.#encryption;
    const secret = this.#held.get(replacement.toString('hex'))?.secret;
    if (!secret) throw new MasterKeyMissing();
    return encrypt(Buffer.concat([fingerprint, hashChain, throttle]), secret, formerName(identity));
  }

  /**
   * Starts the HMAC of a request body. It is keyed, so that stored fingerprints cannot be used to test passwords. A call that
   * was sent before a rotation is found by its fingerprint of that time.
   */
  newFingerprint(): Fingerprint {
    const recent = this.#former.filter(({ isRecent }) => isRecent);
    const keys = [this.#current, ...this.#held.values(), ...recent].map(({ fingerprint }) => fingerprint);
    const distinct = new Map(keys.map((key) => [key.toString('hex'), key]));
    const hmacs = [...distinct.values()].map((key) => createHmac('sha256', key));
    return {
      update(data) {
        for (const hmac of hmacs) hmac.update(data);
        return this;
      },
      digests: () => hmacs.map((hmac) => hmac.digest()),
    };
  }

  /** Starts the digest of a plan. Its key survives a rotation, because approvals wait with their job. */
  newPlanDigest(): Hmac {
    return createHmac('sha256', this.#lasting.fingerprint);
  }

  /** Returns the hash that links an audit log row to the previous one. Without the key no other hash chain verifies. */
  hashRow(previousHash: Buffer, position: number, text: string): Buffer {
    const { hashChain } =
      this.#former.find(({ lastPosition }) => position <= lastPosition) ?? this.#encryption;
    return createHmac('sha256', hashChain).update(previousHash).update(`${position} ${text}`).digest();
  }

  /**
   * Encrypts a stored secret that the service needs in plain form again, such as that of a webhook. `associatedData`
   * is authenticated, not encrypted; `decryptSecret` needs the same value.
   */
  encryptSecret(secret: string, associatedData: string): Buffer {
    return encrypt(Buffer.from(secret), this.#encryption.secret, associatedData);
  }

  decryptSecret(encrypted: Buffer, associatedData: string): string {
    return this.#decrypt(encrypted, 'secret', associatedData).toString();
  }

  /**
   * Returns the keyed digest under which the login throttle stores an entered username or a source address. Its key survives
   * a rotation: known addresses are digests, which cannot be made again.
   */
  throttleDigest(text: string): Buffer {
    return createHmac('sha256', this.#lasting.throttle).update(text).digest();
  }

  /**
   * Returns the keys that one file of a backup may have, which has a random salt. The first one encrypts. Without the same
   * name the file cannot be decrypted, so that files cannot be exchanged.
   */
  backupKeys(salt: Buffer, name: string): readonly Buffer[] {
    return [this.#current, ...this.#held.values()].map(({ backup }) =>
      Buffer.from(hkdfSync('sha256', backup, salt, `anagrafe: file ${name} of a backup`, keyBytes)),
    );
  }

  /**
   * Returns the tags by which a backup or dump is known as one that a service with one of the keys has written. The first
   * one is that of the key in use.
   */
  backupTags(digest: Buffer): readonly string[] {
    return [this.#current, ...this.#held.values()].map(({ backupTag }) =>
      createHmac('sha256', backupTag).update(digest).digest('hex'),
    );
  }

  /** Encrypts the key of a job for the database. */
  wrapJobKey(key: Buffer, callId: string): Buffer {
    return encrypt(key, this.#encryption.wrapping, callId);
  }

  openJobKey(wrapped: Buffer, callId: string): Buffer {
    return this.#decrypt(wrapped, 'wrapping', callId);
  }

  /** Returns the value encrypted with the key in use; null if it is. Throws if no key decrypts it. */
  encryptAgain(encrypted: Buffer, purpose: Purpose, associatedData: string): Buffer | null {
    const { [purpose]: key } = this.#encryption;
    if (decryptWith([key], encrypted, associatedData)) return null;
    return encrypt(this.#decrypt(encrypted, purpose, associatedData), key, associatedData);
  }

  #decrypt(encrypted: Buffer, purpose: Purpose, associatedData: string): Buffer {
    const keys = [this.#current, ...this.#held.values()].map((derived) => derived[purpose]);
    const plain = decryptWith(keys, encrypted, associatedData);
    if (plain) return plain;
    if (this.#isOutdated) throw new MasterKeyMissing();
    throw new Error('the value was changed, or encrypted with another master key');
  }

  get #encryption(): DerivedKeys {
    if (this.#isOutdated) throw new MasterKeyMissing();
    return this.#current;
  }

  /** The keys of the first master key of the database. */
  get #lasting(): Pick<DerivedKeys, 'fingerprint' | 'throttle'> {
    return this.#former[0] ?? this.#current;
  }
}

/** The associated data of the derived keys of a former master key. */
export function formerName(identity: Buffer): string {
  return `former master key ${identity.toString('hex')}`;
}

function derivedKeys(masterKey: Buffer): DerivedKeys {
  if (masterKey.length !== keyBytes) throw new Error(`the master key must have ${keyBytes} bytes`);
  return {
    identity: derive(masterKey, 'identity of the master key'),
    fingerprint: derive(masterKey, 'fingerprint of a body'),
    hashChain: derive(masterKey, 'audit hash chain'),
    throttle: derive(masterKey, 'digest of a guess'),
    wrapping: derive(masterKey, 'wrapping of a job key'),
    secret: derive(masterKey, 'encryption of a secret'),
    backup: derive(masterKey, 'encryption of backups'),
    backupTag: derive(masterKey, 'authentication of backups'),
  };
}

function decryptWith(keys: readonly Buffer[], encrypted: Buffer, associatedData: string): Buffer | null {
  for (const key of keys) {
    try {
      return decrypt(encrypted, key, associatedData);
    } catch {
      // Another key may be the right one.
    }
  }
  return null;
}

function derive(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `anagrafe: ${purpose}`, keyBytes));
}

const masterKeyFormats = [
  { syntax: /^[0-9a-f]{64}$/i, encoding: 'hex' },
  { syntax: /^[A-Za-z0-9+/]{43}=?$/, encoding: 'base64' },
  { syntax: /^[A-Za-z0-9_-]{43}=?$/, encoding: 'base64url' },
] as const;

/** Decodes master keys of 32 bytes, separated by commas or lines; null if one has none of the accepted formats. */
export function readMasterKeys(text: string): readonly Buffer[] | null {
  const keys = text.split(/ *, *|\n/).map(readMasterKey);
  return keys.includes(null) ? null : (keys as Buffer[]);
}

function readMasterKey(text: string): Buffer | null {
  const format = masterKeyFormats.find(({ syntax }) => syntax.test(text));
  return format ? Buffer.from(text, format.encoding) : null;
}
