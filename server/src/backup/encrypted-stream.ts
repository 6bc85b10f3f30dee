import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

// Encrypts a stream of any length with AES-256-GCM, in frames that are authenticated one by one. The nonce of a frame is
// its number and a flag of the last one, so that no frame can be changed, moved or cut off.

const algorithm = 'aes-256-gcm';
const frameBytes = 65_536;
const authTagLength = 16;
const nonceBytes = 12;
/** The file begins with this text and the random salt from which its key is derived. */
const magic = Buffer.from('anagrafe backup 1\n');
const saltBytes = 32;

/** Derives the keys that one file may have from its salt. The first one encrypts. */
export type KeyOfSalt = (salt: Buffer) => readonly Buffer[];

type Bytes = AsyncIterable<Buffer>;

/** A file that cannot be decrypted: it was changed or cut off, or the key is another one. */
export class NotDecryptable extends Error {
  override name = 'NotDecryptable';
}

/** Encrypts the stream, as a step of `pipeline`. */
export function encrypting(keyOfSalt: KeyOfSalt): (source: Bytes) => Bytes {
  return async function* encrypt(source) {
    const salt = randomBytes(saltBytes);
    const [key] = keyOfSalt(salt) as [Buffer];
    yield Buffer.concat([magic, salt]);
    let number = 0;
    for await (const { frame, isLast } of inFrames(source, frameBytes)) {
      const cipher = createCipheriv(algorithm, key, nonceOf(number++, isLast), { authTagLength });
      yield Buffer.concat([cipher.update(frame), cipher.final(), cipher.getAuthTag()]);
    }
  };
}

/** Decrypts the stream, as a step of `pipeline`. It throws `NotDecryptable` before it passes on a byte that is wrong. */
export function decrypting(keyOfSalt: KeyOfSalt): (source: Bytes) => Bytes {
  return async function* decrypt(source) {
    let keys: readonly Buffer[] | undefined;
    let number = 0;
    for await (const { frame, isLast } of inFrames(
      source,
      frameBytes + authTagLength,
      magic.length + saltBytes,
    )) {
      if (!keys) {
        if (!frame.subarray(0, magic.length).equals(magic))
          throw new NotDecryptable('the file is not encrypted');
        if (isLast) throw new NotDecryptable('the file is incomplete');
        keys = keyOfSalt(frame.subarray(magic.length));
        continue;
      }
      if (frame.length < authTagLength) throw new NotDecryptable('the file is incomplete');
      const nonce = nonceOf(number++, isLast);
      let plain: Buffer | null = null;
      for (const key of keys) {
        plain = openFrame(frame, key, nonce);
        if (!plain) continue;
        keys = [key];
        break;
      }
      if (!plain)
        throw new NotDecryptable('the file was changed or cut off, or its master key is another one');
      yield plain;
    }
  };
}

function openFrame(frame: Buffer, key: Buffer, nonce: Buffer): Buffer | null {
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength });
  decipher.setAuthTag(frame.subarray(-authTagLength));
  const plain = decipher.update(frame.subarray(0, -authTagLength));
  try {
    decipher.final();
    return plain;
  } catch {
    return null;
  }
}

function nonceOf(frame: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(nonceBytes);
  nonce.writeUIntBE(frame, 0, 6);
  nonce.writeUInt8(isLast ? 1 : 0, nonceBytes - 1);
  return nonce;
}

/** Divides a stream into frames of one size, after a head if it has one. Only the last frame is shorter, or empty. */
async function* inFrames(
  source: Bytes,
  bytes: number,
  headBytes = 0,
): AsyncGenerator<{ readonly frame: Buffer; readonly isLast: boolean }> {
  let waiting: Buffer = Buffer.alloc(0);
  let next = headBytes || bytes;
  for await (const chunk of source) {
    waiting = Buffer.concat([waiting, chunk]);
    // A full frame waits for more bytes, because it may be the last one.
    while (waiting.length > next) {
      yield { frame: waiting.subarray(0, next), isLast: false };
      waiting = waiting.subarray(next);
      next = bytes;
    }
  }
  yield { frame: waiting, isLast: true };
}
