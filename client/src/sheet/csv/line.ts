/**
 * What a spreadsheet takes for a formula, also behind spaces, and in full width as some systems write it. Any number of
 * apostrophes before it count too, so that each that is put there can be taken away again.
 */
const formula = /^'*\s*?[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Keeps a spreadsheet from computing a cell. */
export function disarmed(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell;
}

/** Undoes `disarmed`. */
export function rearmed(cell: string): string {
  return cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell;
}

/** One line of a CSV as RFC 4180 has it, with its line end. Cells that a spreadsheet would compute begin with an apostrophe. */
export function csvLine(cells: readonly string[], separator: string): string {
  const line = cells.map((cell) => quoted(disarmed(cell), separator)).join(separator);
  // A line without a value would be passed over by whoever reads it.
  return `${cells.every((cell) => cell === '') ? `""${line}` : line}\r\n`;
}

function quoted(cell: string, separator: string): string {
  const plain = !cell.includes(separator) && !/["\r\n]|^\s|\s$/.test(cell);
  return plain ? cell : `"${cell.replaceAll('"', '""')}"`;
}
