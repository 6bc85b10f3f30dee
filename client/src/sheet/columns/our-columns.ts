/** The columns that `FailedRows` adds before the columns of the original file. */
export const lineColumn = 'Anagrafe line';
export const faultsColumn = 'Anagrafe faults';

/** Returns true for the name of a column that `FailedRows` adds. */
export function isOurs(name: string): boolean {
  return name === lineColumn || name === faultsColumn;
}

/** Returns true for the header of a file that `FailedRows` wrote, even if one of the added columns was deleted. */
export function areOurs(header: readonly string[]): boolean {
  return header.some(isOurs);
}
