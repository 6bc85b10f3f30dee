import { type RowFaults, sentenceOf } from '@anagrafe/client/import';
import { FailedRows, type SheetItem } from '@anagrafe/client/sheet';

/** The rows that failed, as they are written down; `atStart` of their file, with what comes before the first. */
export function failedText(items: readonly SheetItem[], faults: RowFaults, atStart: boolean): string {
  const [first] = items;
  if (!first) return '';
  const writer = new FailedRows(first.end.layout);
  const rows = items.map((item) => writer.row(item, (faults.get(item.row) ?? []).map(sentenceOf)));
  return (atStart ? writer.head : '') + rows.join('');
}
