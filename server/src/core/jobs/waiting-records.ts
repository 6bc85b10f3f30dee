import { type Fields, isObject } from '../fields/fields.ts';
import type { Numbers } from '../records/operation.ts';
import { open, seal } from '../sealing/vault.ts';
import { Turns } from '../turns.ts';

/** A record of a chunk, with its position in the call. */
export interface WaitingRecord {
  readonly position: number;
  readonly fields: Fields;
  /** The IDs that were set aside for it. */
  readonly numbers: Numbers;
}

/** A record with very many users stands on several lines, so that none of them takes long to write or to read. */
const usersInLine = 500;

type Line = readonly [
  position: number,
  fields: Fields | null,
  users: readonly unknown[],
  principalId: number | null,
  userIds: readonly number[],
];

/** The records of a chunk, encrypted; `name` is bound to the result. */
export async function sealRecords(
  records: readonly WaitingRecord[],
  key: Buffer,
  name: string,
): Promise<Buffer> {
  const turns = new Turns();
  const lines: Buffer[] = [];
  for (const record of records) {
    for (const line of linesOf(record)) {
      lines.push(Buffer.from(`${JSON.stringify(line)}\n`));
      if (turns.over) await turns.next();
    }
  }
  return seal(Buffer.concat(lines), key, name);
}

export async function openRecords(sealed: Buffer, key: Buffer, name: string): Promise<WaitingRecord[]> {
  const turns = new Turns();
  const text = open(sealed, key, name);
  const records: { position: number; fields: Fields; users: unknown[]; numbers: OwnNumbers }[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf(10, at);
    const [position, fields, users, principal, ids] = JSON.parse(text.toString('utf8', at, end)) as Line;
    if (fields) records.push({ position, fields, users: [], numbers: { principal, users: [] } });
    const own = records.at(-1);
    for (const user of users) own?.users.push(user);
    for (const id of ids) own?.numbers.users.push(id);
    at = end + 1;
    if (turns.over) await turns.next();
  }
  return records.map(({ position, fields, users, numbers }) => ({
    position,
    fields: users.length > 0 ? { ...fields, Users: users } : fields,
    numbers,
  }));
}

interface OwnNumbers extends Numbers {
  readonly users: number[];
}

function* linesOf({ position, fields, numbers }: WaitingRecord): Generator<Line> {
  const users = usersOf(fields);
  if (users.length === 0) {
    yield [position, fields, [], numbers.principal, []];
    return;
  }
  const { Users: _, ...rest } = fields;
  // There are never more IDs than users.
  for (let at = 0; at < users.length; at += usersInLine) {
    const end = at + usersInLine;
    const ids = numbers.users.slice(at, end);
    yield [position, at === 0 ? rest : null, users.slice(at, end), numbers.principal, ids];
  }
}

export function usersOf(fields: Fields): readonly unknown[] {
  return isObject(fields) && Array.isArray(fields.Users) ? fields.Users : [];
}
