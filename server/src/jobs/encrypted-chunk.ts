import type { ByteStream } from '../db/copy.ts';
import {
  blockBytes,
  decryptInBlocks,
  encryptionBytes,
  encryptPieces,
  encryptStream,
} from '../encryption/key-ring.ts';
import { readLargeRecord } from '../json/large-list.ts';
import { readRecord } from '../json/record-list.ts';
import type { Fields } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { ReservedIds } from '../records/operation.ts';

export interface SentRecord {
  /** Zero-based index of the record in the call. */
  readonly position: number;
  readonly users: number;
  /** See `PlannedRecord.weight`. */
  readonly weight: number;
  /** The JSON text of the record, as sent. */
  readonly text: Buffer;
  readonly ids: ReservedIds;
  /** See `ParsedRecord.approved`. */
  readonly approved: string | null;
}

export interface WaitingRecord extends Omit<SentRecord, 'text'> {
  /** Parses the record on demand, because it may be large. */
  fields(): Promise<Fields>;
  /** Like `fields`, but a large array `Users` becomes a `LargeList`. */
  fieldsToRead(): Promise<Fields>;
}

/** Header of a record: a line of JSON that precedes its text. `bytes` is the length of the text. */
type Head = readonly [
  position: number,
  users: number,
  bytes: number,
  principalId: number | null,
  userIds: readonly number[],
  approved: string | null,
  weight: number,
];

const newLine = 10;

/** Encrypts the records of a chunk. `name` is authenticated: decryption fails with another name. */
export async function encryptRecords(
  records: readonly SentRecord[],
  key: Buffer,
  name: string,
): Promise<Buffer> {
  const { pieces, bytes } = await piecesOf(records);
  return encryptPieces(inBlocks(pieces), bytes, key, name);
}

/** Encrypts records like `encryptRecords`, but does not hold the result in memory. */
export async function streamRecords(
  records: readonly SentRecord[],
  key: Buffer,
  name: string,
): Promise<ByteStream> {
  const { pieces, bytes } = await piecesOf(records);
  return { bytes: bytes + encryptionBytes, pieces: encryptStream(inBlocks(pieces), key, name) };
}

async function piecesOf(records: readonly SentRecord[]) {
  const timeSlice = new TimeSlice();
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const { position, users, weight, text, ids, approved } of records) {
    const head: Head = [position, users, text.length, ids.principal, ids.users, approved, weight];
    const line = Buffer.from(`${JSON.stringify(head)}\n`);
    pieces.push(line, text);
    bytes += line.length + text.length;
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return { pieces, bytes };
}

/**
 * Yields the same bytes in blocks that are neither too small for the cipher nor too large for the event loop. All of
 * them share one buffer: the consumer must finish with a block before it requests the next one.
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

function waitingRecord({ text, ...record }: SentRecord): WaitingRecord {
  return { ...record, fields: () => readRecord(text), fieldsToRead: () => readLargeRecord(text) };
}

export async function decryptRecords(
  encryptedRecords: Buffer,
  key: Buffer,
  name: string,
): Promise<WaitingRecord[]> {
  const plain = await decryptInBlocks(encryptedRecords, key, name);
  const timeSlice = new TimeSlice();
  const records: WaitingRecord[] = [];
  for (let at = 0; at < plain.length; ) {
    const start = plain.indexOf(newLine, at) + 1;
    const head = JSON.parse(plain.toString('utf8', at, start)) as Head;
    const [position, users, bytes, principal, userIds, approved, weight] = head;
    const text = plain.subarray(start, start + bytes);
    const ids = { principal, users: userIds };
    records.push(waitingRecord({ position, users, weight, text, ids, approved }));
    at = start + bytes;
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return records;
}
