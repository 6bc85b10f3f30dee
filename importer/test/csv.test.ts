import { anyHeader, cellsOf, errorsOf, latin, readFile } from '@anagrafe/testing/import-file';
import { describe, expect, it } from 'vitest';
import { openImportFile } from '../src/index.ts';

const header = `${anyHeader.join(',')}\n`;

describe('the CSV reader', () => {
  it('reads a file of an Italian Excel', async () => {
    const bytes = latin(
      'Codice cliente;Ragione sociale;Nome utente;E-mail;Password;Note\r\n' +
        '0042;"Caff\xe8 ""Da Pippo"" S.r.l.";pippo;pippo@example.com; con spazi ;"prima riga\nseconda; riga"\r\n' +
        '0043;Perch\xe9 no;anna;;"pass;word";\r\n' +
        ';;;;;\r\n',
    );
    const read = await readFile(bytes);
    expect(read.error).toBeNull();
    expect(read.file?.unknown).toEqual(['Note']);
    expect(read.file?.layout).toMatchObject({ encoding: 'windows-1252', separator: ';' });
    expect(read.rows).toMatchObject([
      {
        kind: 'user',
        number: 1,
        line: 2,
        principal: { ExternalKey: '0042', Denomination: 'Caffè "Da Pippo" S.r.l.' },
        user: {
          Username: 'pippo',
          Email: 'pippo@example.com',
          Password: ' con spazi ',
          ConfirmPassword: ' con spazi ',
        },
        source: [
          '0042',
          'Caffè "Da Pippo" S.r.l.',
          'pippo',
          'pippo@example.com',
          ' con spazi ',
          'prima riga\nseconda; riga',
        ],
      },
      { kind: 'user', number: 2, line: 4, user: { Username: 'anna', Password: 'pass;word' } },
    ]);
    expect(read.rows).toHaveLength(2);
    expect(read.rows[1]).not.toHaveProperty('user.Email');
  });

  it.each([',', ';', '\t', '|'])('detects the separator %j', async (separator) => {
    const lines = [anyHeader, ['a', 'b', 'c', 'd, e; f g']].map((cells) => cells.join(separator));
    lines[0] = `"Username"${separator}"Pass,;|\tword"${separator}ExternalKey${separator}Note`;
    const read = await readFile(lines.join('\n').replace('d, e; f g', '"d, e; f|g"'), {
      columns: { 'Pass,;|\tword': 'Password' },
    });
    expect(read.file?.layout.separator).toBe(separator);
    expect(cellsOf(read)).toEqual([['a', 'b', 'c', 'd, e; f|g']]);
  });

  it('uses the sep= line of Excel, unless the options have a separator', async () => {
    const bySepLine = await readFile('sep=|\r\nUsername,x|Password|ID\r\na|b|1\r\n', {
      columns: { 'Username,x': 'Username' },
    });
    expect(bySepLine.rows).toMatchObject([{ number: 1, line: 3, principal: { ID: 1 } }]);
    const given = await readFile(`sep=;\n${header}a,b,c,d\n`, { separator: ',' });
    expect(cellsOf(given)).toEqual([['a', 'b', 'c', 'd']]);
    expect((await readFile(header, { separator: '::' })).error?.code).toBe('INVALID_SEPARATOR');
  });

  it.each(['\n', '\r\n', '\r'])(
    'accepts the line end %j, with or without one after the last line',
    async (end) => {
      for (const last of ['', end, end + end]) {
        const text = `${end}${anyHeader.join(',')}${end}a,b,c,"x${end}y"${end}${end}e,f,g,${last}`;
        const read = await readFile(text);
        expect(cellsOf(read)).toEqual([
          ['a', 'b', 'c', `x${end}y`],
          ['e', 'f', 'g', ''],
        ]);
        expect(read.rows.map(({ number, line }) => [number, line])).toEqual([
          [1, 3],
          [2, 6],
        ]);
      }
    },
  );

  it('keeps spaces, and quotes inside a cell', async () => {
    const read = await readFile(`${header} a ,b"c,"d ""e"""," f" \ng,h,i,"""j"""\n`);
    expect(errorsOf(read)).toEqual({ 1: [{ code: 'TEXT_AFTER_QUOTE', line: 2 }] });
    expect(cellsOf(read)[1]).toEqual(['g', 'h', 'i', '"j"']);
    expect(cellsOf(await readFile(`${header} a ,b"c,"d ""e"""," f "\n`))).toEqual([
      [' a ', 'b"c', 'd "e"', ' f '],
    ]);
  });

  it('skips empty lines and lines of separators, but not lines with an empty quoted cell', async () => {
    const read = await readFile(`${header}\n,,,\n"",,,\n\na,b,c,d\n`);
    expect(cellsOf(read)).toEqual([
      ['', '', '', ''],
      ['a', 'b', 'c', 'd'],
    ]);
    expect(read.rows.map(({ line }) => line)).toEqual([4, 6]);
  });

  it('reports each row with too few or too many cells, and reads the other rows', async () => {
    const read = await readFile(`${header}a,b,c\na,b,c,d\na,b,c,d,e\na,b,c,d\n`);
    expect(errorsOf(read)).toEqual({
      1: [{ code: 'TOO_FEW_CELLS', expected: 4, found: 3 }],
      3: [{ code: 'TOO_MANY_CELLS', expected: 4, found: 5 }],
    });
    expect(cellsOf(read)[2]).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(read.rows[2]).toMatchObject({ line: 4 });
  });

  it('reports a row with text after a closing quote, and continues with the next line', async () => {
    const read = await readFile(`${header}a,"b"x"y",c,d\na,b,c,d\n`);
    expect(errorsOf(read)).toEqual({ 1: [{ code: 'TEXT_AFTER_QUOTE', line: 2 }] });
    expect(read.rows[0]).toMatchObject({ source: null });
    expect(cellsOf(read)[1]).toEqual(['a', 'b', 'c', 'd']);
  });

  it('reports a row with a NUL character', async () => {
    const read = await readFile(`${header}a,b\0,c,d\na,b,c,d\n`);
    expect(errorsOf(read)).toEqual({ 1: [{ code: 'NUL_CHARACTER', line: 2 }] });
    expect(cellsOf(read)).toEqual([
      ['a', 'b\0', 'c', 'd'],
      ['a', 'b', 'c', 'd'],
    ]);
  });

  it('reports the line of an opening quote that is never closed', async () => {
    const read = await readFile(`${header}a,b,c,d\na,"x\ny",c,"d\na,b,c,d\na,b,c,d\n`);
    expect(read.rows).toHaveLength(1);
    expect(read.error).toMatchObject({ code: 'UNCLOSED_QUOTE', params: { line: 4 } });
  });

  it('stops at a quote that is not closed within the maximum row size, without reading the rest', async () => {
    let sent = 0;
    async function* endless() {
      yield Buffer.from(`${header}a,"b`);
      for (;;) {
        sent += 65_536;
        yield new Uint8Array(65_536).fill(0x61);
      }
    }
    const file = await openImportFile(endless());
    await expect(file[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'UNCLOSED_QUOTE' });
    expect(sent).toBeLessThan(2 * 1_048_576);
  });

  it.each([
    ['a row', header],
    ['the header', ''],
  ])('stops at %s without a line end, without reading the rest', async (_, before) => {
    let sent = 0;
    async function* endless() {
      yield Buffer.from(before);
      for (;;) {
        sent += 65_536;
        yield new Uint8Array(65_536).fill(0x61);
      }
    }
    const reading = (async () => {
      for await (const row of await openImportFile(endless())) expect(row).toBeUndefined();
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ROW_TOO_LARGE' });
    expect(sent).toBeLessThan(20 * 1_048_576);
  });

  it('reports a row that is too large, and reads the next one', async () => {
    const read = await readFile(`${header}a,${'b'.repeat(1_100_000)},"c",d\na,b,c,d\n`);
    expect(errorsOf(read)).toEqual({ 1: [{ code: 'ROW_TOO_LARGE', line: 2, limit: 1_048_576 }] });
    expect(cellsOf(read)).toEqual([null, ['a', 'b', 'c', 'd']]);
    const fits = await readFile(`${header}a,${'b'.repeat(1_000_000)},c,d\n`);
    expect(errorsOf(fits)).toEqual({});
  });

  it.each(['', '\n\n', '\ufeff', '   '])('needs a header: %j', async (text) => {
    expect((await readFile(text)).error?.code).toMatch(/NO_HEADER|MISSING_COLUMN/);
  });

  it('includes no cell in an error', async () => {
    const read = await readFile(
      `${header.replace('\n', ',ID\n')}a,gelb7,c,d,gelb7\na,"gelb7"gelb7,c,d,1\na,gelb7,"c,d,1`,
    );
    expect(JSON.stringify([errorsOf(read), read.error])).not.toContain('gelb7');
    expect(errorsOf(read)).toEqual({
      1: [{ code: 'INVALID_ID', field: 'ID' }],
      2: [{ code: 'TEXT_AFTER_QUOTE', line: 3 }],
    });
    expect(read.error?.code).toBe('UNCLOSED_QUOTE');
  });
});
