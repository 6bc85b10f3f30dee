import { decrypt, encrypt } from '../encryption/key-ring.ts';
import { readRecord } from '../json/read-record.ts';
import type { Fields } from '../lib/request-fields.ts';
import { type Approval, approvalText, readApproval } from '../records/check/plan.ts';
import type { ReservedIds } from '../records/write/writable-change.ts';

export interface SentRecord {
  /** Zero-based index of the record in the call. */
  readonly position: number;
  readonly users: number;
  /** See `PlannedRecord.weight`. */
  readonly weight: number;
  /** The JSON text of the record, as sent. */
  readonly text: Buffer;
  readonly ids: ReservedIds;
  /** See `PlanReview.approve`. */
  readonly approval: Approval | null;
  /** See `PrincipalChange.kept`. */
  readonly kept: readonly string[];
}

export interface WaitingRecord extends Omit<SentRecord, 'text'> {
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
  kept?: readonly string[],
];

const newLine = 10;

/** Encrypts the records of a chunk. `name` is authenticated: decryption fails with another name. */
export function encryptRecords(records: readonly SentRecord[], key: Buffer, name: string): Buffer {
  const pieces = records.flatMap(({ position, users, weight, text, ids, approval, kept }) => {
    const approved = approval && approvalText(approval);
    const head: Head = [position, users, text.length, ids.principal, ids.users, approved, weight, kept];
    return [Buffer.from(`${JSON.stringify(head)}\n`), text];
  });
  return encrypt(Buffer.concat(pieces), key, name);
}

export function decryptRecords(encryptedRecords: Buffer, key: Buffer, name: string): WaitingRecord[] {
  const plain = decrypt(encryptedRecords, key, name);
  const records: WaitingRecord[] = [];
  for (let at = 0; at < plain.length; ) {
    const start = plain.indexOf(newLine, at) + 1;
    const head = JSON.parse(plain.toString('utf8', at, start)) as Head;
    const [position, users, bytes, principal, userIds, approved, weight, kept = []] = head;
    const text = plain.subarray(start, start + bytes);
    const ids = { principal, users: userIds };
    const approval = approved === null ? null : readApproval(approved);
    records.push({ position, users, weight, ids, approval, kept, fields: () => readRecord(text) });
    at = start + bytes;
  }
  return records;
}
