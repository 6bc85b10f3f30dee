import { describe, expect, it } from 'vitest';
import { ReasonLog } from '../src/import/reasons.ts';
import { codedError, contradictionError, rowError } from '../src/import/row-errors.ts';

const taken = codedError('USERNAME_TAKEN', 'Username');

describe('the log of the reasons of failed rows', () => {
  it('continues with the summaries of an interrupted run', () => {
    const before = new ReasonLog('en');
    before.add(2, [taken]);
    const saved = JSON.parse(JSON.stringify(before.summaries));
    const after = new ReasonLog('en', saved);
    after.add(7, [taken]);
    expect(after.summaries).toEqual([
      {
        code: 'USERNAME_TAKEN',
        column: 'Username',
        message: 'Username: An earlier row has the same username.',
        messagesDiffer: false,
        rows: 2,
        lines: [2, 7],
      },
    ]);
  });

  it('counts a record once whose users have the same error, and keeps the message of the first', () => {
    const log = new ReasonLog('en');
    log.add(1, [
      codedError('USERNAME_TAKEN', 'Users[0].Username'),
      codedError('USERNAME_TAKEN', 'Users[1].Username'),
    ]);
    log.add(2, [codedError('USERNAME_TAKEN', 'Users[7].Username')]);
    expect(log.summaries).toMatchObject([
      { column: 'Users[0].Username', rows: 2, lines: [1, 2], messagesDiffer: true },
    ]);
  });

  it('has a size that does not depend on the number of rows and on the length of their values', () => {
    const log = new ReasonLog('en');
    const value = 'x'.repeat(10_000);
    for (let line = 2; line < 20_000; line++)
      log.add(line, [
        rowError(`refused ${line}`),
        contradictionError('Denomination', { value, earlier: `${line}`, line: 2 }),
        taken,
      ]);
    expect(log.summaries).toHaveLength(100);
    expect(log.summaries.slice(0, 2).map(({ rows }) => rows)).toEqual([19_998, 19_998]);
    expect(JSON.stringify(log.summaries).length).toBeLessThan(20_000);
  });
});
