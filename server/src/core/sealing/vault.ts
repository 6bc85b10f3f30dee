import { createCipheriv, createDecipheriv, createHmac, type Hmac, hkdfSync, randomBytes } from 'node:crypto';
import { Turns } from '../turns.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** A key that belongs to one job, and its form for the store. */
export interface JobKey {
  readonly key: Buffer;
  readonly wrapped: Buffer;
}

/** What is done with the service's own key. Every use has a key of its own that is derived from it. */
export class Vault {
  readonly #fingerprintKey: Buffer;
  readonly #wrappingKey: Buffer;
  readonly #journalKey: Buffer;
  readonly #guessKey: Buffer;
  readonly #secretKey: Buffer;
  /** Tells whether two services have the same key, and nothing else about it. */
  readonly identity: Buffer;

  constructor(masterKey: Buffer) {
    if (masterKey.length !== keyBytes) throw new Error(`a master key has ${keyBytes} bytes`);
    this.#fingerprintKey = derive(masterKey, 'fingerprint of a body');
    this.#wrappingKey = derive(masterKey, 'wrapping of a job key');
    this.#journalKey = derive(masterKey, 'chain of the journal');
    this.#guessKey = derive(masterKey, 'digest of a guess');
    this.#secretKey = derive(masterKey, 'sealing of a secret');
    this.identity = derive(masterKey, 'identity of the master key');
  }

  /** Keyed, so that the fingerprints that are stored cannot be used to try passwords on. */
  newFingerprint(): Hmac {
    return createHmac('sha256', this.#fingerprintKey);
  }

  /** The seal of a row of the journal: nobody without the key can make another chain. */
  sealRow(before: Buffer, position: number, text: string): Buffer {
    return createHmac('sha256', this.#journalKey).update(before).update(`${position} ${text}`).digest();
  }

  /** What is kept for good but must be had again in plain, such as the secret of a webhook; `about` is bound to it. */
  sealSecret(secret: string, about: string): Buffer {
    return seal(Buffer.from(secret), this.#secretKey, about);
  }

  openSecret(sealed: Buffer, about: string): string {
    return open(sealed, this.#secretKey, about).toString();
  }

  /** Of what somebody typed as a username, or of where it came from. */
  guessDigest(text: string): Buffer {
    return createHmac('sha256', this.#guessKey).update(text).digest();
  }

  newJobKey(callId: string): JobKey {
    const key = randomBytes(keyBytes);
    return { key, wrapped: seal(key, this.#wrappingKey, callId) };
  }

  openJobKey(wrapped: Buffer, callId: string): Buffer {
    return open(wrapped, this.#wrappingKey, callId);
  }
}

/** Encrypts; `about` is bound to the result, which opens with the same words only. */
export function seal(plain: Buffer, key: Buffer, about: string): Buffer {
  const { nonce, cipher } = newCipher(key, about);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** The same for so many bytes that come in pieces, without holding the event loop for long. */
export async function sealPieces(
  plain: Iterable<Buffer>,
  bytes: number,
  key: Buffer,
  about: string,
): Promise<Buffer> {
  const turns = new Turns();
  const { nonce, cipher } = newCipher(key, about);
  const sealed = Buffer.allocUnsafe(nonceBytes + bytes + tagBytes);
  let at = nonce.copy(sealed);
  for (const piece of plain) {
    at += cipher.update(piece).copy(sealed, at);
    if (turns.over) await turns.next();
  }
  cipher.final();
  cipher.getAuthTag().copy(sealed, at);
  return sealed;
}

function newCipher(key: Buffer, about: string) {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  return { nonce, cipher: cipher.setAAD(Buffer.from(about)) };
}

/** Throws for anything but what was sealed with the same key and the same words. */
export function open(sealed: Buffer, key: Buffer, about: string): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(about))
    .setAuthTag(sealed.subarray(-tagBytes));
  const plain = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
  // Gives nothing more; it throws where the tag is wrong.
  decipher.final();
  return plain;
}

function derive(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `anagrafe: ${purpose}`, keyBytes));
}
