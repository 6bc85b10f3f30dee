import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decrypting, encrypting, NotDecryptable } from '../../src/backup/encrypted-stream.ts';
import { KeyRing } from '../../src/encryption/key-ring.ts';

const keyRing = new KeyRing(Buffer.alloc(32, 'one key'));
const keyOfSalt = (salt: Buffer) => keyRing.backupKeys(salt, 'base');

async function collect(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* inPieces(whole: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < whole.length; at += bytes) yield whole.subarray(at, at + bytes);
}

const encrypt = (plain: Buffer, piece = 1000) => collect(encrypting(keyOfSalt)(inPieces(plain, piece)));
const decrypt = (encrypted: Buffer, piece = 1000) =>
  collect(decrypting(keyOfSalt)(inPieces(encrypted, piece)));

const frame = 65_536;
const head = 'anagrafe backup 1\n'.length + 32;
const tag = 16;

describe('a encrypted stream', () => {
  it.each([0, 1, frame - 1, frame, frame + 1, 3 * frame])(
    'of %d bytes is opened unchanged',
    async (length) => {
      const plain = randomBytes(length);
      const encrypted = await encrypt(plain);
      const frames = Math.max(1, Math.ceil(length / frame));
      expect(encrypted.length).toBe(head + length + frames * tag);
      expect((await decrypt(encrypted)).equals(plain)).toBe(true);
    },
  );

  it('does not depend on how its bytes arrive', async () => {
    const piece = fc.integer({ min: 1000, max: 2 * frame });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3 * frame }), piece, piece, async (length, one, other) => {
        const plain = randomBytes(length);
        expect((await decrypt(await encrypt(plain, one), other)).equals(plain)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('is refused if any of its bytes was changed', async () => {
    const encrypted = await encrypt(randomBytes(frame + 100));
    const positions = [0, head - 1, head, head + frame, head + frame + tag, encrypted.length - 1];
    for (const at of [
      ...positions,
      ...Array.from({ length: 50 }, () => Math.floor(Math.random() * encrypted.length)),
    ]) {
      const changed = Buffer.from(encrypted);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(decrypt(changed), `byte ${at}`).rejects.toThrow(NotDecryptable);
    }
  });

  it('is refused if it was cut off anywhere, also between two frames', async () => {
    const encrypted = await encrypt(randomBytes(2 * frame));
    for (const length of [
      0,
      10,
      head,
      head + 1,
      head + frame + tag,
      encrypted.length - tag,
      encrypted.length - 1,
    ])
      await expect(decrypt(encrypted.subarray(0, length)), `${length} bytes`).rejects.toThrow(NotDecryptable);
  });

  it('is refused if its frames were put into another order, repeated or continued', async () => {
    const encrypted = await encrypt(randomBytes(2 * frame + 5));
    const part = (n: number) => encrypted.subarray(head + n * (frame + tag), head + (n + 1) * (frame + tag));
    const [start, one, two, last] = [encrypted.subarray(0, head), part(0), part(1), part(2)] as const;
    for (const order of [
      [two, one, last],
      [one, one, last],
      [one, last],
      [one, two, last, last],
    ])
      await expect(decrypt(Buffer.concat([start, ...order]))).rejects.toThrow(NotDecryptable);
  });

  it('is refused with another master key', async () => {
    const other = new KeyRing(Buffer.alloc(32, 'other key'));
    const encrypted = await encrypt(Buffer.from('content'));
    const opened = collect(decrypting((salt) => other.backupKeys(salt, 'base'))(inPieces(encrypted, 100)));
    await expect(opened).rejects.toThrow(NotDecryptable);
  });

  it('is refused as another file of the same backups', async () => {
    const encrypted = await encrypt(Buffer.from('content'));
    const other = (salt: Buffer) => keyRing.backupKeys(salt, '000000010000000000000002');
    await expect(collect(decrypting(other)(inPieces(encrypted, 100)))).rejects.toThrow(NotDecryptable);
  });

  it('has another key for each file, so that two backups of the same bytes have nothing in common', async () => {
    const plain = Buffer.alloc(100);
    const [one, other] = [await encrypt(plain), await encrypt(plain)];
    expect(one.subarray(-tag).equals(other.subarray(-tag))).toBe(false);
    expect(one.subarray(head, head + 16).equals(other.subarray(head, head + 16))).toBe(false);
  });
});
