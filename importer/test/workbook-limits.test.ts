import { readFile } from '@anagrafe/testing/import-file';
import { textRow, type WorkbookParts, workbookFiles, zip } from '@anagrafe/testing/workbook-files';
import { describe, expect, it } from 'vitest';
import { fileErrorInItalian } from '../src/index.ts';

const header = textRow(1, ['Username', 'ID', 'Email', 'Phone']);
const sheets = { A: header + textRow(2, ['anna', '1']) };

const read = (files: Record<string, string>) => readFile(zip(files), { withoutPasswords: true });
const readParts = (parts: Partial<WorkbookParts>) => read(workbookFiles({ sheets, ...parts }));
const limited = (part: string, limit: number) => ({
  error: { code: 'WORKBOOK_LIMIT', params: { part, limit } },
});

describe('a workbook is refused, with the limit in the message, if it has', () => {
  it('more than 65,536 cell formats', async () => {
    const styles = (count: number) => ({
      ...workbookFiles({ sheets }),
      'xl/styles.xml': `<styleSheet><cellXfs>${'<xf/>'.repeat(count)}</cellXfs></styleSheet>`,
    });
    const { error } = await read(styles(65_537));
    expect({ error }).toMatchObject(limited('formats', 65_536));
    expect(error?.message).toContain('has more than 65,536 cell formats.');
    expect(error && fileErrorInItalian(error)).toContain('contiene più di 65.536 formati di cella.');
    expect((await read(styles(65_536))).error).toBe(null);
  });

  it('more than 65,536 number formats', async () => {
    const numberFormats = Array.from({ length: 65_537 }, (_, id) => `<numFmt numFmtId="${id}"/>`).join('');
    const files = { ...workbookFiles({ sheets }), 'xl/styles.xml': `<s>${numberFormats}</s>` };
    expect(await read(files)).toMatchObject(limited('formats', 65_536));
  });

  it('more than 1,000 sheets', async () => {
    const workbook = '<sheet name="x"/>'.repeat(1000);
    expect(await readParts({ workbook })).toMatchObject(limited('sheets', 1000));
  });

  it('more than 10,000 relations', async () => {
    const relations = Array.from({ length: 10_001 }, (_, id) => `<Relationship Id="${id}"/>`).join('');
    const files = { ...workbookFiles({ sheets }), 'xl/_rels/workbook.xml.rels': `<R>${relations}</R>` };
    expect(await read(files)).toMatchObject(limited('relations', 10_000));
  });

  it('more than 1,048,576 rows, which may all be empty', async () => {
    const rows = header + '<row/>'.repeat(1_048_576);
    expect(await readParts({ sheets: { A: rows } })).toMatchObject(limited('rows', 1_048_576));
  });

  it.each([
    ['tag', `<row ${'x'.repeat(600_000)}/>`],
    ['attribute', `<row x="${'x'.repeat(600_000)}"/>`],
    ['text', `<row>${'x'.repeat(600_000)}</row>`],
    ['comment', `<!--${'x'.repeat(600_000)}-->`],
  ])('a very long %s', async (_, content) => {
    expect(await readParts({ sheets: { A: header + content } })).toMatchObject(limited('xml', 262_144));
  });

  it.each([
    ['an inline text', (text: string) => ({ cell: `<c t="inlineStr"><is>${text}</is></c>` })],
    ['a value', (text: string) => ({ cell: `<c t="str"><v>${text}</v></c>` })],
    ['a shared text', (text: string) => ({ cell: '<c t="s"><v>0</v></c>', texts: `<si>${text}</si>` })],
  ])('a cell with more than 32,767 characters: %s', async (_, partsWith) => {
    const readCell = (length: number) => {
      const { cell, texts = '' } = { texts: '', ...partsWith(`<t>${'<b/>x'.repeat(length)}</t>`) };
      return readParts({ sheets: { A: `${header}<row r="2">${cell}</row>` }, texts });
    };
    expect(await readCell(32_768)).toMatchObject(limited('cell', 32_767));
    expect(await readCell(32_767)).toMatchObject({ error: null, rows: [{ line: 2 }] });
  });

  it('a content that is larger than 32 MB and than 100 times the file, before it is decompressed', async () => {
    const files = workbookFiles({ sheets });
    const { error } = await readFile(zip(files, { declaredSize: 7_000_000 }), { withoutPasswords: true });
    expect(error).toMatchObject({ code: 'WORKBOOK_TOO_LARGE', params: { limit: 33_554_432 } });
    expect(error?.message).toContain('more than 32 MB of data.');
    const padding = 'x'.repeat(500_000);
    const larger = zip({ ...files, padding }, { declaredSize: 7_000_000, isStored: true });
    const allowed = await readFile(larger, { withoutPasswords: true });
    // The declared size is wrong, which is found when the entry is decompressed.
    expect(allowed.error?.code).toBe('INVALID_WORKBOOK');
  });

  it('cells of more than 512 million characters, because they share a long text', async () => {
    const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(1000)}</row>`;
    const found = await readParts({
      sheets: { A: header + row.repeat(17) },
      texts: `<si><t>${'x'.repeat(32_767)}</t></si>`,
    });
    expect(found.error).toMatchObject({ code: 'WORKBOOK_TOO_LARGE', params: { limit: 536_870_912 } });
  });
});

describe('a number format', () => {
  const numberWith = async (...formats: string[]) => {
    const cells = '<c t="str"><v>anna</v></c><c><v>1</v></c><c s="1"><v>12</v></c>';
    const found = await readParts({
      sheets: { A: `${header}<row r="2">${cells}</row>` },
      formats,
    });
    return found.error ?? found.rows[0]?.source;
  };

  it('with many brackets that are not closed is read in linear time', async () => {
    // With quadratic time these take several times as long as the time limit of a test.
    const formats = Array.from({ length: 8 }, () => '['.repeat(250_000));
    expect(await numberWith(...formats)).toEqual(['anna', '1', '12', '']);
  });

  it('with more than 255 zeros does not lengthen a number', async () => {
    expect(await numberWith('0'.repeat(256))).toEqual(['anna', '1', '12', '']);
    expect(await numberWith('0'.repeat(15))).toEqual(['anna', '1', '000000000000012', '']);
  });
});
