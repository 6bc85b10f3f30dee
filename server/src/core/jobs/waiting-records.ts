import { type Fields, isObject } from '../fields/fields.ts';
import { readRecord } from '../json/record-list.ts';
import type { Numbers } from '../records/operation.ts';
import { open, sealPieces } from '../sealing/vault.ts';
import { Turns } from '../turns.ts';

/** A record of a chunk on its way into the store, as it was sent. */
export interface SentRecord {
  /** In the call. */
  readonly position: number;
  readonly text: Buffer;
  /** The IDs that were set aside for it. */
  readonly numbers: Numbers;
}

/** The same when it has come back. */
export interface WaitingRecord {
  readonly position: number;
  readonly fields: Fields;
  readonly numbers: Numbers;
}

/** Stands on a line of its own before the text of its record. */
type Head = readonly [
  position: number,
  bytes: number,
  principalId: number | null,
  userIds: readonly number[],
];

const newLine = 10;
/** So much is encrypted at once. */
const blockBytes = 65_536;

/** The records of a chunk, encrypted; `name` is bound to the result. */
export async function sealRecords(
  records: readonly SentRecord[],
  key: Buffer,
  name: string,
): Promise<Buffer> {
  return sealPieces(blocksOf(records), key, name);
}

/** For a few bytes the call of the cipher takes longer than the cipher, for many it would hold the event loop. */
function* blocksOf(records: readonly SentRecord[]): Generator<Buffer> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  for (const { position, text, numbers } of records) {
    const head: Head = [position, text.length, numbers.principal, numbers.users];
    pieces.push(Buffer.from(`${JSON.stringify(head)}\n`));
    for (let at = 0; at < text.length; at += blockBytes) {
      const part = text.subarray(at, at + blockBytes);
      pieces.push(part);
      bytes += part.length;
      if (bytes < blockBytes) continue;
      yield pieces.length === 1 ? part : Buffer.concat(pieces);
      pieces = [];
      bytes = 0;
    }
  }
  yield Buffer.concat(pieces);
}

export async function openRecords(sealed: Buffer, key: Buffer, name: string): Promise<WaitingRecord[]> {
  const turns = new Turns();
  const text = open(sealed, key, name);
  const records: WaitingRecord[] = [];
  for (let at = 0; at < text.length; ) {
    const start = text.indexOf(newLine, at) + 1;
    const [position, bytes, principal, users] = JSON.parse(text.toString('utf8', at, start)) as Head;
    const fields = await readRecord(text.subarray(start, start + bytes));
    records.push({ position, fields, numbers: { principal, users } });
    at = start + bytes;
    if (turns.over) await turns.next();
  }
  return records;
}

export function usersOf(fields: Fields): readonly unknown[] {
  return isObject(fields) && Array.isArray(fields.Users) ? fields.Users : [];
}
