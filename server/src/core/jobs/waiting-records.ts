import type { Fields } from '../fields/fields.ts';
import { readRecord } from '../json/record-list.ts';
import type { Numbers } from '../records/operation.ts';
import { open, sealPieces } from '../sealing/vault.ts';
import { Turns } from '../turns.ts';

/** A record of a chunk on its way into the store, as it was sent. */
export interface SentRecord {
  /** In the call. */
  readonly position: number;
  readonly users: number;
  readonly text: Buffer;
  /** The IDs that were set aside for it. */
  readonly numbers: Numbers;
}

/** The same when it has come back; it is read only when it is needed, since it may be large. */
export interface WaitingRecord {
  readonly position: number;
  readonly users: number;
  readonly numbers: Numbers;
  fields(): Promise<Fields>;
}

/** Stands on a line of its own before the text of its record. */
type Head = readonly [
  position: number,
  users: number,
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
  const turns = new Turns();
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const { position, users, text, numbers } of records) {
    const head: Head = [position, users, text.length, numbers.principal, numbers.users];
    const line = Buffer.from(`${JSON.stringify(head)}\n`);
    pieces.push(line, text);
    bytes += line.length + text.length;
    if (turns.over) await turns.next();
  }
  return sealPieces(inBlocks(pieces), bytes, key, name);
}

/**
 * The same bytes in blocks that are neither too small for the cipher nor too large for the event loop. All of them
 * are the same memory: a block has to be done with before the next one is asked for.
 */
function* inBlocks(pieces: readonly Buffer[]): Generator<Buffer> {
  const block = Buffer.allocUnsafe(blockBytes);
  let used = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const copied = piece.copy(block, used, at);
      at += copied;
      used += copied;
      if (used < blockBytes) continue;
      yield block;
      used = 0;
    }
  }
  yield block.subarray(0, used);
}

export async function openRecords(sealed: Buffer, key: Buffer, name: string): Promise<WaitingRecord[]> {
  const turns = new Turns();
  const plain = open(sealed, key, name);
  const records: WaitingRecord[] = [];
  for (let at = 0; at < plain.length; ) {
    const start = plain.indexOf(newLine, at) + 1;
    const head = JSON.parse(plain.toString('utf8', at, start)) as Head;
    const [position, users, bytes, principal, userIds] = head;
    const text = plain.subarray(start, start + bytes);
    const numbers = { principal, users: userIds };
    records.push({ position, users, numbers, fields: () => readRecord(text) });
    at = start + bytes;
    if (turns.over) await turns.next();
  }
  return records;
}
