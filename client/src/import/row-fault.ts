import type { Fault, Tuple } from '../api.gen.ts';
import type { SheetItem } from '../sheet/item.ts';

/** What is wrong with a row. */
export interface RowFault {
  /** The field of the sheet that it is about, or a place in a record; null where it is about all of the row. */
  readonly column: string | null;
  readonly message: string;
}

/** What is wrong with rows, by their numbers. */
export type RowFaults = Map<number, readonly RowFault[]>;

type Faults = Readonly<Record<string, readonly Fault[]>>;

/** What is wrong with the record of a row, for a person who has the row and not the record. */
export function faultsOf(faults: Faults, kind: SheetItem['kind'] = 'user'): RowFault[] {
  return Object.entries(faults).flatMap(([place, found]) => {
    // The password that is missing says it all.
    if (place === confirmation && 'Users[0].Password' in faults) return [];
    const column = kind === 'user' ? columnOf(place) : place;
    const named = column === '' || column === 'Record' ? null : column;
    return found.map(({ message }) => ({ column: named, message }));
  });
}

/** What is wrong with a principal, by the columns that a sheet has for it. */
export function principalFaults({ Item4, Item5 }: Tuple): RowFault[] {
  const faults = faultsOf(Item5);
  return faults.length > 0 ? faults : [aboutRow(Item4 ?? 'The principal could not be inserted.')];
}

export function aboutRow(message: string): RowFault {
  return { column: null, message };
}

/** `Username: it is taken.` */
export function sentenceOf({ column, message }: RowFault): string {
  return column === null ? message : `${column}: ${message}`;
}

const confirmation = 'Users[0].ConfirmPassword';
const columns: Readonly<Record<string, string>> = { 'Users[0].ID': 'UserID', Email: 'PrincipalEmail' };

/** A row has one user, so that its place in the record says nothing; what is about all of it names no column. */
function columnOf(place: string): string {
  return columns[place] ?? place.replace(/^Users\[0\]\.?/, '');
}
