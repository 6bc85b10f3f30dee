import { describe, expect, it } from 'vitest';
import { type FileError, fileError } from '../src/file/errors.ts';
import { ReasonLog } from '../src/import/reasons.ts';
import { codedError, contradictionError, fromFileError, rowError } from '../src/import/row-errors.ts';

const taken = codedError('DUPLICATE_USERNAME', 'Username');

describe('the log of the reasons of failed rows', () => {
  it('continues with the summaries of an interrupted run', () => {
    const before = new ReasonLog({ language: 'en' });
    before.add(2, [taken]);
    const saved = JSON.parse(JSON.stringify(before.summaries));
    const after = new ReasonLog({ language: 'en' }, saved);
    after.add(7, [taken]);
    expect(after.summaries).toEqual([
      {
        code: 'DUPLICATE_USERNAME',
        column: 'Username',
        message: 'Username: An earlier row has the same username.',
        messagesDiffer: false,
        rows: 2,
        lines: [2, 7],
      },
    ]);
  });

  it('has different errors apart: of the file and of the service, of other columns and with other numbers of cells', () => {
    const log = new ReasonLog({ language: 'en' });
    const inFile = (error: FileError) => [fromFileError(error)];
    const contradiction = { value: 'One', earlier: 'Two', line: 2, unit: 'line' } as const;
    log.add(2, [taken]);
    log.add(3, [{ column: 'Username', message: 'This username is taken.', serviceCode: 'USERNAME_TAKEN' }]);
    log.add(4, inFile(fileError('TOO_MANY_CELLS', { expected: 4, found: 5 })));
    log.add(5, inFile(fileError('TOO_FEW_CELLS', { expected: 4, found: 3 })));
    log.add(6, [
      contradictionError('Denomination', contradiction),
      contradictionError('Vatnumber', contradiction),
    ]);
    log.add(7, inFile(fileError('DAMAGED_NUMBER', { column: 'Vatnumber' })));
    log.add(8, inFile(fileError('DAMAGED_NUMBER', { column: 'Phone' })));
    log.add(9, inFile(fileError('INVALID_ID', { field: 'ID' })));
    log.add(10, inFile(fileError('INVALID_JSON', { line: 10, column: 7 })));
    log.add(11, inFile(fileError('INVALID_JSON', { line: 11, column: 9 })));
    expect(log.summaries.map(({ code, column, lines }) => [code, column, ...lines])).toEqual([
      ['INVALID_JSON', null, 10, 11],
      ['DUPLICATE_USERNAME', 'Username', 2],
      ['USERNAME_TAKEN', 'Username', 3],
      ['TOO_MANY_CELLS', null, 4],
      ['TOO_FEW_CELLS', null, 5],
      ['CONTRADICTS_ROW', 'Denomination', 6],
      ['CONTRADICTS_ROW', 'Vatnumber', 6],
      ['DAMAGED_NUMBER', 'Vatnumber', 7],
      ['DAMAGED_NUMBER', 'Phone', 8],
      ['INVALID_ID', 'ID', 9],
    ]);
    expect(new ReasonLog({ language: 'en' }, log.summaries).summaries).toEqual(log.summaries);
  });

  it('counts a record once whose users have the same error, and keeps the message of the first', () => {
    const log = new ReasonLog({ language: 'en' });
    log.add(1, [
      codedError('DUPLICATE_USERNAME', 'Users[0].Username'),
      codedError('DUPLICATE_USERNAME', 'Users[1].Username'),
    ]);
    log.add(2, [codedError('DUPLICATE_USERNAME', 'Users[7].Username')]);
    expect(log.summaries).toMatchObject([
      { column: 'Users[0].Username', rows: 2, lines: [1, 2], messagesDiffer: true },
    ]);
  });

  it('has a size that does not depend on the number of rows and on the length of their values', () => {
    const log = new ReasonLog({ language: 'en' });
    const value = 'x'.repeat(10_000);
    for (let line = 2; line < 20_000; line++)
      log.add(line, [
        rowError(`refused ${line}`),
        contradictionError('Denomination', { value, earlier: `${line}`, line: 2, unit: 'line' }),
        taken,
      ]);
    expect(log.summaries).toHaveLength(100);
    expect(log.summaries.slice(0, 2).map(({ rows }) => rows)).toEqual([19_998, 19_998]);
    expect(JSON.stringify(log.summaries).length).toBeLessThan(20_000);
  });
});
