import { readFile } from '@anagrafe/testing/import-file';
import { describe, expect, it } from 'vitest';
import { RowComparer } from '../src/import/row-comparer.ts';

async function rowsOf(content: string) {
  return (await readFile(content)).rows;
}

describe('the tags of a principal in a file', () => {
  it('have commas, semicolons, bars or spaces between them', async () => {
    const rows = await rowsOf(
      'ExternalKey;Username;Password;Etichette\nA;a;x;Sud, nord\nB;b;x;"vip;sud|Nord"\nC;c;x;vip vip\nD;d;x;\nE;e;x;" , "\n',
    );
    expect(rows.map((row) => (row.kind === 'user' ? row.principal.Tags : row))).toEqual([
      ['nord', 'sud'],
      ['nord', 'sud', 'vip'],
      ['vip'],
      undefined,
      undefined,
    ]);
  });

  it('are a list or a text in a flat row of a JSON file', async () => {
    const rows = [
      { ExternalKey: 'A', Username: 'a', Password: 'x', Tags: ['Sud', 'nord'] },
      { ExternalKey: 'B', Username: 'b', Password: 'x', Tags: 'sud nord' },
    ];
    const read = await rowsOf(JSON.stringify(rows));
    expect(read.map((row) => (row.kind === 'user' ? row.principal.Tags : row))).toEqual([
      ['nord', 'sud'],
      ['nord', 'sud'],
    ]);
    expect(
      await rowsOf(JSON.stringify([{ ExternalKey: 'A', Username: 'a', Password: 'x', Tags: [7] }])),
    ).toMatchObject([{ kind: 'invalid', errors: [{ code: 'NOT_A_TEXT' }] }]);
  });

  it('of two rows of a principal contradict each other only if they are different tags', async () => {
    const [first, same, other] = await rowsOf(
      'ExternalKey,Username,Password,Tags\nA,a,x,nord sud\nA,b,x,"SUD,nord"\nA,c,x,nord\n',
    );
    const comparer = new RowComparer('update');
    if (!first || !same || !other) throw new Error('a row is missing');
    expect(comparer.compare(first)).toEqual([]);
    expect(comparer.compare(same)).toEqual([]);
    expect(comparer.compare(other)).toMatchObject([{ column: 'Tags' }]);
  });
});
