import type { Fault, Tuple } from '@anagrafe/client';
import type { SheetItem } from '@anagrafe/client/sheet';

/** What is wrong with rows, in words, by their numbers. */
export type RowFaults = Map<number, readonly string[]>;

type Faults = Readonly<Record<string, readonly Fault[]>>;

/** What is wrong with the record of a row, for a person who has the row and not the record. */
export function sentencesOf(faults: Faults, kind: SheetItem['kind'] = 'user'): string[] {
  return Object.entries(faults).flatMap(([place, found]) => {
    // The password that is missing says it all.
    if (place === confirmation && 'Users[0].Password' in faults) return [];
    const column = kind === 'user' ? columnOf(place) : place;
    const named = column === '' || column === 'Record' ? '' : `${column}: `;
    return found.map(({ message }) => named + message);
  });
}

const confirmation = 'Users[0].ConfirmPassword';

/** A row has one user, so that its place in the record says nothing; what is about all of it names no column. */
function columnOf(place: string): string {
  return place === 'Users[0].ID' ? 'UserID' : place.replace(/^Users\[0\]\.?/, '');
}

/** What is wrong with a principal, by the columns that a sheet has for it. */
export function principalSentences({ Item4, Item5 }: Tuple): string[] {
  const faults = Object.entries(Item5).map(([place, found]) => [
    place === 'Email' ? 'PrincipalEmail' : place,
    found,
  ]);
  const sentences = sentencesOf(Object.fromEntries(faults));
  return sentences.length > 0 ? sentences : [Item4 ?? 'The principal could not be inserted.'];
}
