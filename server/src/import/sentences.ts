import type { Fault } from '@anagrafe/client';
import type { SheetItem } from '@anagrafe/client/sheet';

type Faults = Readonly<Record<string, readonly Fault[]>>;

/** What is wrong with the record of a row, for a person who has the row and not the record. */
export function sentencesOf(faults: Faults, kind: SheetItem['kind'] = 'user'): string[] {
  return Object.entries(faults).flatMap(([place, found]) => {
    // A row has one user, so that its place in the record says nothing; what is about all of it names no column.
    const column = kind === 'user' ? place.replace(/^Users\[0\]\.?/, '') : place;
    const named = column === '' || column === 'Record' ? '' : `${column}: `;
    return found.map(({ message }) => named + message);
  });
}
