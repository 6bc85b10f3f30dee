import { limitPart } from './errors.ts';
import { formulaErrorPattern } from './values.ts';
import type { XmlHandler } from './xml.ts';

/** How the numbers of a style are displayed, as far as it matters for their text. */
export type NumberFormat =
  | { readonly kind: 'date' }
  /** Zeros in front up to this number of digits, as in the format `00000000000` for VAT numbers. */
  | { readonly kind: 'padded'; readonly digits: number }
  | { readonly kind: 'other' };

export interface Styles {
  /** The format of each style, by its index. */
  readonly formats: readonly NumberFormat[];
  /** True if dates count from 1904, as in old versions of Excel for Mac. */
  readonly is1904: boolean;
}

/** Maximum number of number formats, and of cell formats. Excel has at most 65,490 cell formats. */
const formatsMax = 65_536;

/** Reads the formats of `styles.xml`. */
export class StylesReader implements XmlHandler {
  readonly formats: NumberFormat[] = [];
  readonly #numberFormats = new Map<number, NumberFormat>();
  #isCell = false;

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === 'numFmt')
      this.#numberFormats.set(Number(attribute('numFmtId')), formatOf(attribute('formatCode') ?? ''));
    limitPart('formats', this.#numberFormats.size, formatsMax);
    if (name === 'cellXfs') this.#isCell = true;
    if (name !== 'xf' || !this.#isCell) return;
    const id = Number(attribute('numFmtId') ?? 0);
    this.formats.push(this.#numberFormats.get(id) ?? { kind: isBuiltInDate(id) ? 'date' : 'other' });
    limitPart('formats', this.formats.length, formatsMax);
  }

  close(name: string): void {
    if (name === 'cellXfs') this.#isCell = false;
  }
}

function formatOf(code: string): NumberFormat {
  if (/^0{2,255}$/.test(code)) return { kind: 'padded', digits: code.length };
  // Texts in quotes, escaped characters, colours and conditions are not part of the format; [h] is. A text that is not
  // closed ends with the code: searching for its end again from each further character would take quadratic time.
  const plain = code.replace(/"[^"]*(?:"|$)|\\.|\[(?![hms]+\])[^\]]*(?:\]|$)/gi, '');
  return /[dmyhs]/i.test(plain) ? { kind: 'date' } : { kind: 'other' };
}

/** The numbers of the formats for dates and times that every workbook has (ECMA-376, part 1, 18.8.30). */
function isBuiltInDate(id: number): boolean {
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);
}

/** A cell while its elements are read. */
export interface SheetCell {
  /** Type of the value: `s` shared text, `str` text of a formula, `inlineStr`, `b`, `e` error, `d` date, `n` number. */
  readonly type: string;
  readonly style: number;
  hasFormula: boolean;
  /** Null if the cell has no value. */
  value: string | null;
  inline: string;
}

/** The text of a formula without a stored value, which is then reported like an error of the formula. */
const noValue = '#N/A';

/** Returns the text of a cell as a CSV would have it; null if the cell is invalid. */
export function cellText(cell: Readonly<SheetCell>, texts: readonly string[], styles: Styles): string | null {
  const { type, value, hasFormula } = cell;
  if (type === 'inlineStr') return decodeControls(cell.inline);
  if (value === null) return hasFormula ? noValue : '';
  if (type === 'str') return decodeControls(value);
  if (value.trim() === '') return hasFormula ? noValue : '';
  if (type === 's') {
    return texts[Number(value)] ?? null;
  }
  if (type === 'b') return value.trim() === '1' ? 'TRUE' : 'FALSE';
  if (type === 'e') return formulaErrorPattern.test(value) ? value : noValue;
  if (type === 'd') return value;
  return type === 'n' ? numberText(value.trim(), styles, styles.formats[cell.style]) : null;
}

/** Spreadsheet programs calculate with 15 digits: further digits of a number are lost. */
const exactBelow = 1e15;

function numberText(
  value: string,
  { is1904 }: Styles,
  format: NumberFormat = { kind: 'other' },
): string | null {
  const number = Number(value);
  if (Number.isNaN(number)) return null;
  if (format.kind === 'date' && number >= 0) return dateText(number, is1904);
  if (!Number.isInteger(number)) return value;
  // The exponential notation is reported as damaged where a number is a code.
  if (Math.abs(number) >= exactBelow) return number.toExponential().toUpperCase();
  return format.kind === 'padded' ? String(number).padStart(format.digits, '0') : String(number);
}

const secondsPerDay = 86_400;
/** Days from 1970 back to the day 0 of the two date systems. */
const epoch1900 = 25_569;
const epoch1904 = 24_107;

/** Converts a number of days to `2026-01-31`, `2026-01-31T12:30:00` or, below one day, `12:30:00`. */
function dateText(days: number, is1904: boolean): string | null {
  // The date system of 1900 has a 29 February 1900, which did not exist.
  const corrected = !is1904 && days >= 1 && days < 60 ? days + 1 : days;
  const seconds = Math.round((corrected - (is1904 ? epoch1904 : epoch1900)) * secondsPerDay);
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999) return null;
  const [day = '', time = ''] = date
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .split('T');
  if (days < 1) return time;
  return time === '00:00:00' ? day : `${day}T${time}`;
}

/** Decodes `_x000D_`, as control characters are written in texts. */
export function decodeControls(text: string): string {
  return text.replace(/_x([\dA-F]{4})_/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
