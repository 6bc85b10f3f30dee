/**
 * Matches cells that a spreadsheet evaluates as a formula (CSV injection), also after white space and with full-width
 * characters. It accepts leading apostrophes, so that `rearmed` can remove each apostrophe that `disarmed` has added.
 */
const formula = /^'*\s*?[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Prefixes a formula with an apostrophe, so that a spreadsheet treats it as text. */
export function disarmed(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell;
}

/** Reverses `disarmed`. */
export function rearmed(cell: string): string {
  return cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell;
}

/** Formats one line of a CSV (RFC 4180) with its line end, CRLF. Formulas get an apostrophe against CSV injection. */
export function csvLine(cells: readonly string[], separator: string): string {
  const line = cells.map((cell) => quoted(disarmed(cell), separator)).join(separator);
  // CsvScanner and other parsers skip a line without a quote or a value.
  return `${cells.every((cell) => cell === '') ? `""${line}` : line}\r\n`;
}

function quoted(cell: string, separator: string): string {
  const plain = !cell.includes(separator) && !/["\r\n]|^\s|\s$/.test(cell);
  return plain ? cell : `"${cell.replaceAll('"', '""')}"`;
}
