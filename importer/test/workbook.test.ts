import { readFile } from '@anagrafe/testing/import-file';
import { textRow, workbookFiles, zip } from '@anagrafe/testing/workbook-files';
import { describe, expect, it } from 'vitest';
import writeExcelFile from 'write-excel-file/node';

const header = textRow(1, ['Username', 'ID', 'Email', 'Phone']);
const options = { withoutPasswords: true };

/** Reads a workbook whose second row has these cells in the columns A to D. */
async function cellsOf(cells: string, parts: { texts?: string; formats?: string[]; workbook?: string } = {}) {
  const sheets = { Sheet1: `${header}<row r="2">${cells}</row>` };
  const { rows, error } = await readFile(zip(workbookFiles({ sheets, ...parts })), options);
  return error ?? rows[0]?.source;
}

describe('a workbook', () => {
  it('is read as another program writes it', async () => {
    const buffer = await writeExcelFile([
      [
        { value: 'Codice cliente', fontWeight: 'bold' },
        { value: 'Ragione sociale' },
        { value: 'Partita IVA' },
        { value: 'Nome utente' },
        { value: 'Dal' },
      ],
      [
        { type: String, value: '000300' },
        { type: String, value: 'Caffè & "Città" <Srl>\nUno' },
        { type: Number, value: 12345678903 },
        { type: String, value: 'nicolò' },
        { type: Date, value: new Date(Date.UTC(2026, 0, 31)), format: 'dd/mm/yyyy' },
      ],
      [{ type: String, value: '000301' }, null, null, { type: String, value: 'anna' }, null],
    ]).toBuffer();
    const { file, rows, error } = await readFile(new Uint8Array(buffer), options);
    expect(error).toBe(null);
    expect(file?.columns.map(({ field }) => field)).toEqual([
      'ExternalKey',
      'Denomination',
      'Vatnumber',
      'Username',
      null,
    ]);
    expect(rows.map(({ line, source }) => [line, source])).toEqual([
      [2, ['000300', 'Caffè & "Città" <Srl>\nUno', '12345678903', 'nicolò', '2026-01-31']],
      [3, ['000301', '', '', 'anna', '']],
    ]);
  });

  it('has at most 1,000 columns, so that one cell far to the right does not widen all rows', async () => {
    const cell = (reference: string) => `<c r="${reference}" t="inlineStr"><is><t>x</t></is></c>`;
    const rows = ['ALL2', 'ALM3', 'ZZZ4'].map(
      (reference) => `<row r="${reference.slice(3)}">${cell(reference)}</row>`,
    );
    const content = zip(workbookFiles({ sheets: { A: header + rows.join('') } }));
    const read = await readFile(content, options);
    expect(read.rows.map((row) => row.kind === 'invalid' && row.errors[0])).toMatchObject([
      { code: 'TOO_MANY_CELLS', params: { found: 1000 } },
      { code: 'TOO_MANY_COLUMNS', params: { line: 3, limit: 1000 } },
      { code: 'TOO_MANY_COLUMNS', params: { line: 4, limit: 1000 } },
    ]);
    const wide = zip(workbookFiles({ sheets: { A: `<row r="1">${cell('A1')}${cell('XFD1')}</row>` } }));
    expect((await readFile(wide, options)).error).toMatchObject({
      message: expect.stringMatching(/^Row 1 has a value after column 1000/),
    });
  });

  it('is read from chunks of any size', async () => {
    const content = zip(workbookFiles({ sheets: { A: header + textRow(2, ['anna', '1']) } }));
    const cuts = Array.from(content, (_, at) => at);
    expect((await readFile(content, options, cuts)).rows).toMatchObject([{ user: { Username: 'anna' } }]);
  });

  it('has the first sheet that is not hidden, or the one of the option', async () => {
    const sheet = (name: string) => header + textRow(2, [name, '1']);
    const parts = { sheets: { Note: sheet('note'), Clienti: sheet('clienti'), '02': sheet('anno') } };
    const content = zip(workbookFiles({ ...parts, hidden: ['Note'] }));
    const usernames = async (wanted: object) => {
      const { file, rows, error } = await readFile(content, { ...options, ...wanted });
      return error ? error.code : [file?.layout.sheet, rows.map((row) => row.source?.[0 as never])];
    };
    expect(await usernames({})).toEqual(['Clienti', ['clienti']]);
    expect(await usernames({ sheet: 'note' })).toEqual(['Note', ['note']]);
    expect(await usernames({ sheet: '3' })).toEqual(['02', ['anno']]);
    expect(await usernames({ sheet: '02' })).toEqual(['02', ['anno']]);
    expect(await usernames({ sheet: '4' })).toBe('SHEET_NOT_FOUND');
  });

  it('keeps the numbers of its rows, and skips empty rows', async () => {
    const sheets = {
      A: `<row r="1"/>${textRow(3, ['Username', 'ID'])}<row r="4"><c r="A4"/></row>${textRow(7, ['anna', '1'])}`,
    };
    const { rows } = await readFile(zip(workbookFiles({ sheets })), options);
    expect(rows.map(({ number, line }) => [number, line])).toEqual([[1, 7]]);
  });

  it('reports a value in a column without a name', async () => {
    const sheets = { A: `${header}${textRow(2, ['anna', '1', '', '', 'x'])}` };
    const { rows } = await readFile(zip(workbookFiles({ sheets })), options);
    expect(rows).toMatchObject([{ kind: 'invalid', errors: [{ code: 'TOO_MANY_CELLS' }] }]);
  });
});

describe('the cells of a workbook', () => {
  const row = (third: string) =>
    `<c r="A2" t="inlineStr"><is><t>anna</t></is></c><c r="B2"><v>1</v></c>${third}`;

  it.each([
    ['a shared text', '<c r="C2" t="s"><v>1</v></c>', 'due'],
    ['a text with several formats', '<c r="C2" t="s"><v>2</v></c>', 'una frase'],
    ['a formula with its stored text', '<c r="C2" t="str"><f>A1&amp;B1</f><v>a&amp;b</v></c>', 'a&b'],
    ['a formula with an empty text', '<c r="C2" t="str"><f>""</f><v></v></c>', ''],
    ['a formula with its stored number', '<c r="C2"><f>1+1</f><v>2</v></c>', '2'],
    ['a formula without a stored value', '<c r="C2"><f>1+1</f></c>', '#N/A'],
    ['a formula with an error', '<c r="C2" t="e"><f>1/0</f><v>#DIV/0!</v></c>', '#DIV/0!'],
    ['an unknown error', '<c r="C2" t="e"><v>#BUSY!</v></c>', '#N/A'],
    ['a truth value', '<c r="C2" t="b"><v>1</v></c>', 'TRUE'],
    ['a whole number', '<c r="C2"><v>12345678901</v></c>', '12345678901'],
    ['a whole number in exponential notation', '<c r="C2"><v>1.2345678901E+10</v></c>', '12345678901'],
    ['a number with 17 digits', '<c r="C2"><v>12345678901234567</v></c>', '1.2345678901234568E+16'],
    ['a fraction', '<c r="C2"><v>0.5</v></c>', '0.5'],
    ['a number that is shown with zeros', '<c r="C2" s="1"><v>743110157</v></c>', '00743110157'],
    ['a date', '<c r="C2" s="2"><v>46053</v></c>', '2026-01-31'],
    ['a date with a time', '<c r="C2" s="2"><v>46053.5</v></c>', '2026-01-31T12:00:00'],
    ['a time', '<c r="C2" s="2"><v>0.75</v></c>', '18:00:00'],
    ['a number with a unit', '<c r="C2" s="3"><v>12</v></c>', '12'],
    ['a control character', '<c r="C2" t="str"><v>a_x000A_b_x005F_x000A_</v></c>', 'a\nb_x000A_'],
    ['CDATA', '<c r="C2" t="str"><v><![CDATA[<a>]]></v></c>', '<a>'],
    ['no reference', '<c t="str"><v>next</v></c>', 'next'],
  ])('can be %s', async (_, cell, expected) => {
    const texts =
      '<si><t>uno</t></si><si><t>due</t></si><si><r><t>una </t></r><rPh><t>x</t></rPh><r><t>frase</t></r></si>';
    const formats = ['00000000000', 'dd/mm/yyyy\\ hh:mm', '0\\ &quot;days&quot;[Red]'];
    expect(await cellsOf(row(cell), { texts, formats })).toEqual(['anna', '1', expected, '']);
  });

  it('have dates that count from 1904 if the workbook says so', async () => {
    const parts = { formats: ['yyyy'], workbook: '<workbookPr date1904="1"/>' };
    expect(await cellsOf(row('<c r="C2" s="1"><v>44591</v></c>'), parts)).toEqual([
      'anna',
      '1',
      '2026-01-31',
      '',
    ]);
  });

  it.each([
    ['a shared text that does not exist', '<c r="C2" t="s"><v>9</v></c>'],
    ['a number that is none', '<c r="C2"><v>x</v></c>'],
  ])('are an error of the file if they have %s', async (_, cell) => {
    expect(await cellsOf(row(cell))).toMatchObject({ code: 'INVALID_WORKBOOK', params: { place: 'row 2' } });
  });
});

describe('a hostile or damaged workbook', () => {
  const files = workbookFiles({ sheets: { A: header + textRow(2, ['anna', '1']) } });
  const codeOf = async (content: Uint8Array) => (await readFile(content, options)).error?.code;

  it('is refused by its declared size before anything is decompressed', async () => {
    expect(await codeOf(zip(files, { declaredSize: 300_000_000 }))).toBe('WORKBOOK_TOO_LARGE');
  });

  it('is refused if it contains more than it declares', async () => {
    expect(await codeOf(zip(files, { declaredSize: 20 }))).toBe('INVALID_WORKBOOK');
  });

  it('is refused if it contains less than it declares', async () => {
    expect(await codeOf(zip(files, { declaredSize: 100_000 }))).toBe('INVALID_WORKBOOK');
  });

  it('is refused if it defines entities', async () => {
    const doctype = '<!DOCTYPE x [<!ENTITY a "aaaa">]>';
    expect(await codeOf(zip({ ...files, 'xl/workbook.xml': doctype + files['xl/workbook.xml'] }))).toBe(
      'INVALID_WORKBOOK',
    );
  });

  it('is refused if it is cut off', async () => {
    const content = zip(files);
    for (let end = 4; end < content.length; end += 7)
      expect([end, await codeOf(content.slice(0, end))]).toEqual([end, 'INVALID_WORKBOOK']);
  });

  it('is never read as another one if bytes of its sheet have changed', async () => {
    const content = zip(files, { isStored: true });
    const name = Buffer.from(content).indexOf('anna');
    const changed = content.slice();
    changed[name] = 'A'.charCodeAt(0);
    expect(await codeOf(changed)).toBe('INVALID_WORKBOOK');
  });

  it('is refused as a spreadsheet of another format if it has no workbook', async () => {
    expect(await codeOf(zip({ 'content.xml': '<office/>', mimetype: 'x' }))).toBe('SPREADSHEET_FILE');
  });

  it('is refused if it has no rows', async () => {
    expect(await codeOf(zip(workbookFiles({ sheets: { A: '' } })))).toBe('NO_HEADER');
  });
});
