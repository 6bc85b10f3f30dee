import { decrypt, encrypt } from '../encryption/cipher.ts';
import { readRecord } from '../json/read-record.ts';
import type { Fields } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { type Approval, approvalText, readApproval } from '../records/check/plan.ts';
import type { ReservedIds } from '../records/write/writable-change.ts';

/** A valid record of a job. */
export interface ValidRecord {
  /** Zero-based index of the record in the call. */
  readonly position: number;
  readonly users: number;
  /** See `PlannedRecord.weight`. */
  readonly weight: number;
  readonly ids: ReservedIds;
  /** See `PlanReview.approve`. */
  readonly approval: Approval | null;
  /** See `PrincipalChange.namedElsewhere`. */
  readonly namedElsewhere: readonly string[];
}

/** A record of a chunk that is applied. */
export interface WaitingRecord extends ValidRecord {
  /** Parses the record on demand, so that few records of a chunk are in memory at a time. */
  fields(): Promise<Fields>;
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
  /** Absent in a job of an older version. */
  namedElsewhere?: readonly string[],
];

const newLine = 10;

interface ChunkKey {
  readonly key: Buffer;
  readonly name: string;
}

export function chunkName(callId: string, number: number): string {
  return `${callId} ${number}`;
}

/**
 * Encrypts the records of a chunk, with their JSON texts as sent. `name` is authenticated: decryption fails with another
 * name.
 */
export async function encryptRecords(
  records: Iterable<ValidRecord>,
  textOf: (position: number) => Buffer,
  { key, name }: ChunkKey,
): Promise<Buffer> {
  const timeSlice = new TimeSlice();
  const pieces: Buffer[] = [];
  for (const { position, users, weight, ids, approval, namedElsewhere } of records) {
    const text = textOf(position);
    const approved = approval && approvalText(approval);
    const head: Head = [
      position,
      users,
      text.length,
      ids.principal,
      ids.users,
      approved,
      weight,
      namedElsewhere,
    ];
    pieces.push(Buffer.from(`${JSON.stringify(head)}\n`), text);
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return encrypt(Buffer.concat(pieces), key, name);
}

export async function decryptRecords(
  encryptedRecords: Buffer,
  { key, name }: ChunkKey,
): Promise<WaitingRecord[]> {
  const timeSlice = new TimeSlice();
  const plain = decrypt(encryptedRecords, key, name);
  const records: WaitingRecord[] = [];
  for (let at = 0; at < plain.length; ) {
    const start = plain.indexOf(newLine, at) + 1;
    const head = JSON.parse(plain.toString('utf8', at, start)) as Head;
    const [position, users, bytes, principal, userIds, approved, weight, namedElsewhere = []] = head;
    const text = plain.subarray(start, start + bytes);
    const ids = { principal, users: userIds };
    const approval = approved === null ? null : readApproval(approved);
    records.push({ position, users, weight, ids, approval, namedElsewhere, fields: () => readRecord(text) });
    at = start + bytes;
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return records;
}
