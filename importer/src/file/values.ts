import { type FileError, fileError } from './errors.ts';
import type { ImportField } from './types.ts';

/** Something in a row that may be a mistake. The row is imported nevertheless. */
export interface RowWarning {
  readonly code: WarningCode;
  readonly field: ImportField;
}

export const warningCodes = [
  'TRIMMED',
  'LEADING_ZEROS_LOST',
  'VATNUMBER_INVALID',
  'TAXCODE_INVALID',
  'ROW_REPEATED',
] as const;

/**
 * - `TRIMMED`: spaces before or after the value were removed.
 * - `LEADING_ZEROS_LOST`: the number would be valid with zeros in front, which spreadsheets remove.
 * - `VATNUMBER_INVALID`, `TAXCODE_INVALID`: the length or the check digit of an Italian number is wrong.
 * - `ROW_REPEATED`: the row is an exact copy of an earlier one, and is left out.
 */
export type WarningCode = (typeof warningCodes)[number];

/** The fields whose values are kept exactly as written: a password may begin or end with a space. */
const secretFields: ReadonlySet<ImportField> = new Set(['Password', 'ConfirmPassword', 'PasswordHash']);
/** The fields that often consist of digits alone. A spreadsheet then treats their values as numbers. */
const codeFields: ReadonlySet<ImportField> = new Set([
  'ID',
  'UserID',
  'ExternalKey',
  'Username',
  'Vatnumber',
  'Taxcode',
  'Phone',
]);
/** The code fields in which a decimal place cannot be part of the value. */
const digitFields: ReadonlySet<ImportField> = new Set(['ID', 'UserID', 'Vatnumber', 'Taxcode', 'Phone']);

/** `1,23457E+10`, as spreadsheets display large numbers and save them to CSV files. */
const exponential = /^\d(?:[.,]\d+)?E\+\d+$/i;
/** `12345678901.0`, as programs write numbers that they have read as fractions. */
const decimalZero = /^\d+[.,]00?$/;
/** The results of formulas that failed, in English and Italian. */
export const formulaErrorPattern =
  /^#(?:N\/[AD]|REF!|RIF!|VALUE!|VALORE!|NAME\?|NOME\?|DIV\/0!|NULL!|NULLO!|NUM!|SPILL!|ESPANSIONE!)$/;

interface CleanValue {
  /** The value without surrounding spaces, with composed accents (NFC); empty if nothing is left of it. */
  readonly text: string;
  readonly error: FileError | null;
  readonly warning: WarningCode | null;
  /** True if spaces before or after the value were removed. */
  readonly isTrimmed: boolean;
}

/** Returns the value of a field as it is imported, with the error or the warning that it causes. */
export function cleanValue(field: ImportField, column: string, cell: string): CleanValue {
  if (secretFields.has(field)) return { text: cell, error: null, warning: null, isTrimmed: false };
  const trimmed = cell.trim();
  // Programs write an accented letter as one character or as two, which would be different values.
  const text = trimmed.normalize('NFC');
  const isTrimmed = trimmed.length !== cell.length;
  return { text, error: damageOf(field, column, text), warning: warningOf(field, text), isTrimmed };
}

function damageOf(field: ImportField, column: string, text: string): FileError | null {
  if (text.startsWith('#') && formulaErrorPattern.test(text)) return fileError('FORMULA_ERROR', { column });
  if (!codeFields.has(field)) return null;
  const isDamaged = exponential.test(text) || (digitFields.has(field) && decimalZero.test(text));
  return isDamaged ? fileError('DAMAGED_NUMBER', { column }) : null;
}

function warningOf(field: ImportField, text: string): WarningCode | null {
  if (text === '') return null;
  if (field === 'Vatnumber') return checkVatnumber(text);
  return field === 'Taxcode' ? checkTaxcode(text) : null;
}

/**
 * Checks the length and the check digit of an Italian VAT number, with or without the prefix IT. Returns null for a
 * valid number and for one with the prefix of another country.
 */
export function checkVatnumber(text: string): WarningCode | null {
  const compact = text.replace(/[\s.\-/]/g, '').toUpperCase();
  const digits = compact.replace(/^IT/, '');
  if (isVatnumber(digits)) return null;
  if (lacksZeros(digits)) return 'LEADING_ZEROS_LOST';
  return /^(?!IT)[A-Z]{2}/.test(compact) ? null : 'VATNUMBER_INVALID';
}

/** Checks an Italian tax code: 16 characters of a person, or the 11 digits of a company. */
export function checkTaxcode(text: string): WarningCode | null {
  const compact = text.replace(/\s/g, '').toUpperCase();
  if (isPersonTaxcode(compact) || isVatnumber(compact)) return null;
  return lacksZeros(compact) ? 'LEADING_ZEROS_LOST' : 'TAXCODE_INVALID';
}

/** Eleven digits, of which the last makes the Luhn sum divisible by 10. */
function isVatnumber(digits: string): boolean {
  if (!/^\d{11}$/.test(digits) || Number(digits) === 0) return false;
  const sum = [...digits].reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Returns true for 7 to 10 digits that are a valid VAT number with zeros in front. */
function lacksZeros(digits: string): boolean {
  return /^[1-9]\d{6,9}$/.test(digits) && isVatnumber(digits.padStart(11, '0'));
}

/** The letters that replace digits if two people would have the same tax code ("omocodia"): L is 0, V is 9. */
const personTaxcode = /^[A-Z]{6}[\dLMNP-V]{2}[ABCDEHLMPRST][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]$/;
/** The values of the characters 0 to 9 and A to Z at the odd positions, counted from 1 (decree of 23 December 1976). */
const oddValues = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16,
  10, 22, 25, 24, 23,
];

function isPersonTaxcode(code: string): boolean {
  if (!personTaxcode.test(code)) return false;
  const sum = [...code.slice(0, 15)].reduce((total, character, at) => {
    const index = Number.parseInt(character, 36);
    const even = index < 10 ? index : index - 10;
    return total + (at % 2 === 0 ? (oddValues[index] ?? 0) : even);
  }, 0);
  return code.charCodeAt(15) - 'A'.charCodeAt(0) === sum % 26;
}
