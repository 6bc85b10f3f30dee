import { rowLimit } from './row.ts';

/** Candidates, in order of precedence if two of them occur equally often. */
const separators = ['\t', ';', ',', '|'];

/** The `sep=` line that Excel writes before the header to declare the separator. */
const separatorLine = /^"?sep=([^"\r\n])"?$/i;

export interface Separation {
  readonly separator: string;
  /** True if the first line is a `sep=` line and not the header. */
  readonly told: boolean;
}

/**
 * Detects the separator by the first line that is not empty. A line end inside quotes does not end the line. Returns
 * null if the line is not complete yet.
 *
 * @param isAll True if `head` is the whole text.
 */
export function findSeparator(head: string, isAll: boolean): Separation | null {
  const line =
    firstLine(head) ?? (isAll || head.length > rowLimit ? (/[^\r\n]+/.exec(head)?.[0] ?? '') : null);
  if (line === null) return null;
  const separator = separatorLine.exec(line)?.[1];
  if (separator !== undefined) return { separator, told: true };
  const outside = line.replace(/"[^"]*"?/g, '');
  const counts = separators.map((candidate) => outside.split(candidate).length - 1);
  const most = Math.max(...counts);
  return { separator: (most > 0 && separators[counts.indexOf(most)]) || ',', told: false };
}

/** Returns the first line that is not empty; null if it has no line end outside quotes yet. */
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
