import type { InsertRecord, Tuple, UpdateRecord } from '../api.gen.ts';
import type { Foreseen } from './foreseen.ts';
import { type Sent, usersIn } from './records.ts';
import { faultsOf, type RowFaults } from './row-fault.ts';

type Member = Sent<UpdateRecord | InsertRecord>;

/** A record that is tried, with the rows that it stands for. */
export interface Attempt {
  readonly record: UpdateRecord | InsertRecord;
  readonly members: readonly Member[];
}

export function alone(member: Member): Attempt {
  return { record: member.record, members: [member] };
}

/** Principals that are not there yet are tried with the users of all their rows. */
export function families(sent: readonly Sent<UpdateRecord>[], foreseen: Foreseen): Attempt[] {
  const byKey = new Map<string, Sent<UpdateRecord>[]>();
  for (const one of sent) {
    const key = one.record.ExternalKey ?? '';
    const others = byKey.get(key);
    if (others) others.push(one);
    else byKey.set(key, [one]);
  }
  return [...byKey].map(([key, members]) => family({ ...foreseen.principal(key) }, members));
}

/** The two that an attempt is made in where the service does not take it as it is; none where it stands for one row. */
export function halves({ record, members }: Attempt): Attempt[] {
  if (members.length < 2) return [];
  const half = Math.ceil(members.length / 2);
  return [members.slice(0, half), members.slice(half)].map((some) => family(record as InsertRecord, some));
}

function family(principal: InsertRecord, members: readonly Member[]): Attempt {
  const Users = members.flatMap(({ record }) => record.Users ?? []);
  return { record: { ...principal, Users } as InsertRecord, members };
}

/** Whose fault it is that a record would not be applied: where it stands for several rows, the place of the user tells. */
export function blamed(members: readonly Member[], tuple: Tuple | undefined): RowFaults {
  const faults: RowFaults = new Map();
  const [only, another] = members;
  if (!tuple || tuple.Item3 || !only) return faults;
  if (!another) return faults.set(only.item.row, faultsOf(tuple.Item5, only.item.kind));
  const owners = members.flatMap(({ item, record }) => usersIn(record).map((_, at) => ({ item, at })));
  for (const [place, found] of Object.entries(tuple.Item5)) {
    const [, at, field = ''] = /^Users\[(\d+)\](.*)$/.exec(place) ?? [];
    const owner = owners[Number(at)];
    if (!owner) continue;
    const { row, kind } = owner.item;
    const own = faultsOf({ [`Users[${owner.at}]${field}`]: found }, kind);
    faults.set(row, [...(faults.get(row) ?? []), ...own]);
  }
  return faults;
}
