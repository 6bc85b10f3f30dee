import { createCipheriv, createDecipheriv, createHmac, type Hmac, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** The encryption key of one job, in plain form and in encrypted form for the database. */
export interface JobKey {
  readonly key: Buffer;
  readonly wrapped: Buffer;
}

/** Encrypts and signs under keys that are derived from the master key; each purpose has a key of its own. */
export class KeyRing {
  readonly #fingerprintKey: Buffer;
  readonly #wrappingKey: Buffer;
  readonly #hashChainKey: Buffer;
  readonly #throttleKey: Buffer;
  readonly #secretKey: Buffer;
  readonly #backupKey: Buffer;
  /** Equal for two services if and only if they have the same master key; it reveals nothing else about the key. */
  readonly identity: Buffer;

  constructor(masterKey: Buffer) {
    if (masterKey.length !== keyBytes) throw new Error(`the master key must have ${keyBytes} bytes`);
    this.#fingerprintKey = derive(masterKey, 'fingerprint of a body');
    this.#wrappingKey = derive(masterKey, 'wrapping of a job key');
    this.#hashChainKey = derive(masterKey, 'audit hash chain');
    this.#throttleKey = derive(masterKey, 'digest of a guess');
    this.#secretKey = derive(masterKey, 'encryption of a secret');
    this.#backupKey = derive(masterKey, 'encryption of backups');
    this.identity = derive(masterKey, 'identity of the master key');
  }

  /** Starts the HMAC of a request body. It is keyed, so that stored fingerprints cannot be used to test passwords. */
  newFingerprint(): Hmac {
    return createHmac('sha256', this.#fingerprintKey);
  }

  /** Returns the hash that links an audit log row to the previous one. Without the key no other hash chain verifies. */
  hashRow(previousHash: Buffer, position: number, text: string): Buffer {
    return createHmac('sha256', this.#hashChainKey)
      .update(previousHash)
      .update(`${position} ${text}`)
      .digest();
  }

  /**
   * Encrypts a stored secret that the service needs in plain form again, such as that of a webhook. `associatedData`
   * is authenticated, not encrypted; `decryptSecret` needs the same value.
   */
  encryptSecret(secret: string, associatedData: string): Buffer {
    return encrypt(Buffer.from(secret), this.#secretKey, associatedData);
  }

  decryptSecret(encrypted: Buffer, associatedData: string): string {
    return decrypt(encrypted, this.#secretKey, associatedData).toString();
  }

  /** Returns the keyed digest under which the login throttle stores an entered username or a source address. */
  throttleDigest(text: string): Buffer {
    return createHmac('sha256', this.#throttleKey).update(text).digest();
  }

  /** Returns the key of one file of a backup, which has a random salt. */
  backupKey(salt: Buffer): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#backupKey, salt, 'anagrafe: file of a backup', keyBytes));
  }

  newJobKey(callId: string): JobKey {
    const key = randomBytes(keyBytes);
    return { key, wrapped: encrypt(key, this.#wrappingKey, callId) };
  }

  openJobKey(wrapped: Buffer, callId: string): Buffer {
    return decrypt(wrapped, this.#wrappingKey, callId);
  }
}

/**
 * Encrypts with AES-256-GCM; returns nonce, ciphertext and tag. `associatedData` is authenticated, not encrypted;
 * `decrypt` needs the same value.
 */
export function encrypt(plain: Buffer, key: Buffer, associatedData: string): Buffer {
  const { nonce, cipher } = newCipher(key, associatedData);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function newCipher(key: Buffer, associatedData: string) {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  return { nonce, cipher: cipher.setAAD(Buffer.from(associatedData)) };
}

/** Decrypts the result of `encrypt`. Throws if the key, the associated data or any byte differs. */
export function decrypt(encrypted: Buffer, key: Buffer, associatedData: string): Buffer {
  const decipher = newDecipher(encrypted, key, associatedData);
  const plain = decipher.update(encrypted.subarray(nonceBytes, -tagBytes));
  // `final` returns no more bytes; it throws if the tag is wrong.
  decipher.final();
  return plain;
}

function newDecipher(encrypted: Buffer, key: Buffer, associatedData: string) {
  const nonce = encrypted.subarray(0, nonceBytes);
  return createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(associatedData))
    .setAuthTag(encrypted.subarray(-tagBytes));
}

function derive(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `anagrafe: ${purpose}`, keyBytes));
}

const masterKeyFormats = [
  { syntax: /^[0-9a-f]{64}$/i, encoding: 'hex' },
  { syntax: /^[A-Za-z0-9+/]{43}=?$/, encoding: 'base64' },
  { syntax: /^[A-Za-z0-9_-]{43}=?$/, encoding: 'base64url' },
] as const;

/** Decodes a master key of 32 bytes; null if the text has none of the accepted formats. */
export function readMasterKey(text: string): Buffer | null {
  const format = masterKeyFormats.find(({ syntax }) => syntax.test(text));
  return format ? Buffer.from(text, format.encoding) : null;
}
