import { type Fields, isObject } from '../fields/fields.ts';
import { open, seal } from '../sealing/vault.ts';
import { Turns } from '../turns.ts';

/** A record of a chunk, with its position in the call. */
export interface WaitingRecord {
  readonly position: number;
  readonly fields: Fields;
}

/** A record with very many users stands on several lines, so that none of them takes long to write or to read. */
const usersInLine = 500;

type Line = readonly [position: number, fields: Fields | null, users: readonly unknown[]];

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
  const records: { position: number; fields: Fields; users: unknown[] }[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf(10, at);
    const [position, fields, users] = JSON.parse(text.toString('utf8', at, end)) as Line;
    if (fields) records.push({ position, fields, users: [] });
    const own = records.at(-1)?.users;
    for (const user of users) own?.push(user);
    at = end + 1;
    if (turns.over) await turns.next();
  }
  return records.map(({ position, fields, users }) => ({
    position,
    fields: users.length > 0 ? { ...fields, Users: users } : fields,
  }));
}

function* linesOf({ position, fields }: WaitingRecord): Generator<Line> {
  const users = usersOf(fields);
  if (users.length === 0) {
    yield [position, fields, []];
    return;
  }
  const { Users: _, ...rest } = fields;
  for (let at = 0; at < users.length; at += usersInLine) {
    yield [position, at === 0 ? rest : null, users.slice(at, at + usersInLine)];
  }
}

export function usersOf(fields: Fields): readonly unknown[] {
  return isObject(fields) && Array.isArray(fields.Users) ? fields.Users : [];
}
