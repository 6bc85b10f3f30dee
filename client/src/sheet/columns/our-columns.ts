/** The columns that a file of failed rows has before those of the file that was read. */
export const lineColumn = 'Anagrafe line';
export const faultsColumn = 'Anagrafe faults';

export function isOurs(name: string): boolean {
  return name === lineColumn || name === faultsColumn;
}

/** Whether these are the columns of a file that we wrote, even if one of ours was deleted since. */
export function areOurs(header: readonly string[]): boolean {
  return header.some(isOurs);
}
