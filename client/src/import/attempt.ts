import type { InsertRecord, Tuple, UpdateRecord } from '../api.gen.ts';
import type { Foreseen } from './foreseen.ts';
import { type Sent, usersIn } from './records.ts';
import { faultsOf, type RowFaults } from './row-fault.ts';

type Member = Sent<UpdateRecord | InsertRecord>;

/** A record of a dry run and the rows that it combines. */
export interface Attempt {
  readonly record: UpdateRecord | InsertRecord;
  readonly members: readonly Member[];
}

/** Creates an attempt for one row. */
export function alone(member: Member): Attempt {
  return { record: member.record, members: [member] };
}

/**
 * Groups rows by the external key of a principal that does not exist yet. A dry run can check the users of such a
 * principal only in the record that inserts it.
 */
export function families(sent: readonly Sent<UpdateRecord>[], foreseen: Foreseen): Attempt[] {
  const byKey = new Map<string, Sent<UpdateRecord>[]>();
  for (const member of sent) {
    const key = member.record.ExternalKey ?? '';
    const others = byKey.get(key);
    if (others) others.push(member);
    else byKey.set(key, [member]);
  }
  return [...byKey].map(([key, members]) => combine({ ...foreseen.principal(key) }, members));
}

/** Splits an attempt that the service rejected as a whole into two. Returns none if it has only one row. */
export function halves({ record, members }: Attempt): Attempt[] {
  if (members.length < 2) return [];
  const half = Math.ceil(members.length / 2);
  return [members.slice(0, half), members.slice(half)].map((some) => combine(record as InsertRecord, some));
}

/** Creates one insert record with the users of all rows. */
function combine(principal: InsertRecord, members: readonly Member[]): Attempt {
  const Users = members.flatMap(({ record }) => record.Users ?? []);
  return { record: { ...principal, Users } as InsertRecord, members };
}

/**
 * Returns the errors of a tuple by row number. If the record combines several rows, the index in `Users[index]` selects
 * the row, and errors outside `Users` are ignored.
 */
export function blamed(members: readonly Member[], tuple: Tuple | undefined): RowFaults {
  const faults: RowFaults = new Map();
  const [only, another] = members;
  if (!tuple || tuple.Item3 || !only) return faults;
  if (!another) return faults.set(only.item.row, faultsOf(tuple.Item5, only.item.kind));
  const owners = members.flatMap(({ item, record }) => usersIn(record).map((_, at) => ({ item, at })));
  for (const [path, found] of Object.entries(tuple.Item5)) {
    const [, at, field = ''] = /^Users\[(\d+)\](.*)$/.exec(path) ?? [];
    const owner = owners[Number(at)];
    if (!owner) continue;
    const { row, kind } = owner.item;
    const own = faultsOf({ [`Users[${owner.at}]${field}`]: found }, kind);
    faults.set(row, [...(faults.get(row) ?? []), ...own]);
  }
  return faults;
}
