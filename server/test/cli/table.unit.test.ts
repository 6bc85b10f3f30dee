import { describe, expect, it } from 'vitest';
import { type Column, fit, fitText, textWidth } from '../../src/cli/output/table.ts';

describe('the width of a text', () => {
  it('is its number of columns on a terminal', () => {
    expect(textWidth('Rossi')).toBe(5);
    expect(textWidth('株式')).toBe(4);
    expect(textWidth('e\u0301')).toBe(1);
  });

  it('is adjusted to a given width by padding or truncation', () => {
    expect(fitText('Rossi', 7)).toBe('Rossi  ');
    expect(fitText('7', 3, 'right')).toBe('  7');
    expect(fitText('Rossi Srl', 6)).toBe('Rossi…');
    for (const width of [2, 3, 4, 5]) expect(textWidth(fitText('株式会社', width))).toBe(width);
  });
});

describe('the columns of a table', () => {
  type Row = Record<'id' | 'name' | 'email', string>;
  const columns: Column<Row>[] = [
    { head: 'ID', whole: true, cell: ({ id }) => id },
    { head: 'Name', cell: ({ name }) => name },
    { head: 'Email', cell: ({ email }) => email },
  ];
  const rows = [{ id: '1234567890', name: 'n'.repeat(30), email: 'e'.repeat(20) }];
  const widths = (width: number) => fit(columns, rows, width).map((column) => column.width);

  it('are as wide as their content if the terminal is wide enough', () => {
    expect(widths(200)).toEqual([10, 30, 20]);
  });

  it('shrink, the widest first, except columns that must stay whole', () => {
    expect(widths(60)).toEqual([10, 26, 20]);
    expect(widths(40)).toEqual([10, 13, 13]);
  });

  it('are dropped from the right if the terminal is too narrow', () => {
    expect(widths(20)).toEqual([10, 8]);
    expect(widths(5)).toEqual([10]);
  });
});
