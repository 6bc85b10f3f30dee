import type { RowFault, RowFaults } from '@anagrafe/client/import';
import { FailedRows } from '@anagrafe/client/sheet';
import { saveFile } from '../../parts/save-file.ts';
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
  const ending = layout.format === 'csv' ? 'csv' : 'ndjson';
  saveFile(`${name.replace(/\.[^.]*$/, '')}-failed.${ending}`, [writer.head, ...text]);
}
