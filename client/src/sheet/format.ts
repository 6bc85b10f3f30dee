import type { SheetFormat } from './bookmark.ts';
import { rowLimit } from './csv/row.ts';
import { refusal } from './fault.ts';
import { elementLimit, placeIn } from './json/element.ts';
import type { Pieces } from './text/pieces.ts';

/** Detects the format by the first character that is not white space: `[` is JSON, `{` is NDJSON, all else is CSV. */
export async function findFormat(pieces: Pieces): Promise<SheetFormat> {
  while (!pieces.isAll && pieces.head.length < rowLimit && pieces.head.trim() === '') await pieces.look();
  const first = pieces.head.trimStart();
  if (first.startsWith('[')) return 'json';
  if (!first.startsWith('{')) return 'csv';
  await refuseMultilineObject(pieces);
  return 'ndjson';
}

/** Rejects an object that spans several lines. Read as NDJSON it would cause one error per line. */
async function refuseMultilineObject(pieces: Pieces): Promise<void> {
  const start = pieces.head.indexOf('{');
  while (!pieces.isAll && pieces.head.length < elementLimit && pieces.head.indexOf('\n', start) < 0)
    await pieces.look();
  const firstLine = pieces.head.slice(start).split('\n', 1)[0] ?? '';
  if (!firstLine.trimEnd().endsWith('}'))
    throw refusal('NOT_A_LIST', placeIn(pieces.head, start, { line: 1, column: 1 }));
}
