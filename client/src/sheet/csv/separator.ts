import { rowLimit } from './row.ts';

/** What separates cells, the likelier before where two occur as often. */
const separators = ['\t', ';', ',', '|'];

/** The line with which Excel tells the separator, before the header. */
const told = /^"?sep=([^"\r\n])"?$/i;

export interface Separation {
  readonly separator: string;
  /** Whether the first line said so, and is no header. */
  readonly told: boolean;
}

/** By the first line that is not empty, where line ends in quotes do not count; null where more text is needed to tell. */
export function findSeparator(head: string, isAll: boolean): Separation | null {
  const line =
    firstLine(head) ?? (isAll || head.length > rowLimit ? (/[^\r\n]+/.exec(head)?.[0] ?? '') : null);
  if (line === null) return null;
  const separator = told.exec(line)?.[1];
  if (separator !== undefined) return { separator, told: true };
  const outside = line.replace(/"[^"]*"?/g, '');
  const counts = separators.map((candidate) => outside.split(candidate).length - 1);
  const most = Math.max(...counts);
  return { separator: (most > 0 && separators[counts.indexOf(most)]) || ',', told: false };
}

/** Null while a line, or a quote in it, has not ended. */
function firstLine(head: string): string | null {
  let start = 0;
  let quoted = false;
  for (let at = 0; at < head.length; at++) {
    const character = head[at];
    if (character === '"') quoted = !quoted;
    if (quoted || (character !== '\n' && character !== '\r')) continue;
    if (at > start) return head.slice(start, at);
    start = at + 1;
  }
  return null;
}
