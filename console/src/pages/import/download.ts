import type { RowFault, RowFaults } from '@anagrafe/client/import';
import { FailedRows } from '@anagrafe/client/sheet';
import type { Row } from './row.ts';
import type { UsersFile } from './users-file.ts';

/** Saves the rows that failed, as they stand now, in the way of the file that they came from. */
export function downloadFailed(
  { name, layout }: UsersFile,
  rows: readonly Row[],
  faults: RowFaults,
  say: (fault: RowFault) => string,
): void {
  const writer = new FailedRows(layout);
  const failed = rows.filter(({ row }) => faults.has(row));
  const text = failed.map((row) => writer.row(row, (faults.get(row.row) ?? []).map(say)));
  const url = URL.createObjectURL(new Blob([writer.head, ...text]));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name.replace(/\.[^.]*$/, '')}-failed.${layout.format === 'csv' ? 'csv' : 'ndjson'}`;
  link.click();
  // The browser has to have begun with it.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
