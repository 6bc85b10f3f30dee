import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

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

/** Returns a random key. */
export function newKey(): Buffer {
  return randomBytes(32);
}
