import type { Fault, Tuple } from '../api.gen.ts';
import type { SheetItem } from '../sheet/item.ts';

/** What is wrong with a row. */
export interface RowFault {
  /** The field of the sheet that it is about, or a place in a record; null where it is about all of the row. */
  readonly column: string | null;
  readonly message: string;
  /** Where it was found here, and is said in English: by this it can be said in another language. */
  readonly code?: RowFaultCode;
}

/** What is wrong with rows, by their numbers. */
export type RowFaults = Map<number, readonly RowFault[]>;

type Faults = Readonly<Record<string, readonly Fault[]>>;

const sentences = {
  RESET_WITHOUT_PRINCIPAL: 'The principal of a UserID is named by its ID or its ExternalKey.',
  PRINCIPAL_NOT_INSERTED: 'The principal could not be inserted.',
  USERNAME_TAKEN: 'This username stands in an earlier row.',
  EXTERNAL_KEY_TAKEN: 'This external key stands in another row.',
};

/** What is found wrong with rows without the service; the rest it says itself, in the language that it is asked in. */
export type RowFaultCode = keyof typeof sentences;

export function foundHere(code: RowFaultCode, column: string | null = null): RowFault {
  return { column, message: sentences[code], code };
}

/** What is wrong with the record of a row, for a person who has the row and not the record. */
export function faultsOf(faults: Faults, kind: SheetItem['kind'] = 'user'): RowFault[] {
  return Object.entries(faults).flatMap(([place, found]) => {
    // The password that is missing says it all.
    if (place === confirmation && 'Users[0].Password' in faults) return [];
    const column = columnOf(place, kind);
    const named = ['', 'Record', '$'].includes(column) ? null : column;
    return found.map(({ message }) => ({ column: named, message }));
  });
}

/** What is wrong with a principal, by the columns that a sheet has for it. */
export function principalFaults(tuple: Tuple): RowFault[] {
  const faults = faultsOf(tuple.Item5);
  return faults.length > 0 ? faults : [reasonOf(tuple)];
}

/** Why a principal was not inserted, in one sentence. */
export function reasonOf({ Item4 }: Tuple): RowFault {
  return Item4 === null ? foundHere('PRINCIPAL_NOT_INSERTED') : aboutRow(Item4);
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

/** A row of one user: its place in the record says nothing, and what is about all of it names no column. A record has its places. */
export function columnOf(place: string, kind: SheetItem['kind']): string {
  return kind === 'user' ? (columns[place] ?? place.replace(/^Users\[0\]\.?/, '')) : place;
}
