import { codedError } from '@anagrafe/importer';
import { describe, expect, it } from 'vitest';
import { type FileErrorParams, fileError, fileErrorCodes } from '../../importer/src/file/errors.ts';
import { type RowErrorCode, rowErrorCodes } from '../../importer/src/import/row-errors.ts';
import { imports as english } from '../src/i18n/en.ts';
import { imports as italian } from '../src/i18n/it.ts';

type AllParams = FileErrorParams[keyof FileErrorParams];

/** Parameters for the errors of all codes. */
const params = {
  line: 2,
  column: 'Colonna',
  columns: ['Colonna'],
  field: 'Email',
  needed: ['Email'],
  found: ['Colonna'],
  expected: 3,
  limit: 10,
  part: 'rows',
  place: null,
  sheet: 'Foglio',
  encoding: 'utf-8',
  from: 'utf-8',
  to: 'windows-1252',
} as unknown as AllParams;

const contradiction = { value: 'Uno', earlier: 'Due', line: 2, unit: 'line' } as const;

function rowErrorOf(code: RowErrorCode) {
  return code === 'CONTRADICTS_ROW'
    ? { column: null, message: 'English', code, contradiction }
    : codedError(code);
}

describe('the errors of files in the console', () => {
  it.each(rowErrorCodes)('have an Italian text for the error %s of a row', (code) => {
    const error = rowErrorOf(code);
    expect(italian.rowError(error)).toMatch(/\.$/);
    expect(italian.rowError(error)).not.toBe(english.rowError(error));
    expect(italian.rowError(error)).not.toBe(error.message);
  });

  it.each(fileErrorCodes)('have an Italian text without gaps for the error %s of a file', (code) => {
    const error = fileError(code, params as never);
    expect(italian.fileError(error)).toMatch(/\.$/);
    expect(italian.fileError(error)).not.toMatch(/undefined|null|NaN/);
    expect(italian.fileError(error)).not.toBe(english.fileError(error));
  });
});
