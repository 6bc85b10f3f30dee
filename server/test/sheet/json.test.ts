import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultIn } from '../../../client/src/sheet/json/fault-in.ts';
import { runs } from '../setup/random.ts';
import { faultsOf, readSheet } from './reading.ts';

const mario = { ID: 1, Username: 'mario', Password: 'segreto' };
const anna = {
  'Codice cliente': 'A1',
  'Nome utente': 'anna',
  Password: 'segreto',
  'Conferma password': 'segreto',
};
const record = {
  ID: 5,
  Users: [{ ID: 7, Password: 'nuova' }, { Username: 'pia', Password: 'a', ConfirmPassword: 'b' }, null],
  Position: 3,
};

describe('a JSON file', () => {
  it.each([
    ['an array', JSON.stringify([mario, anna, record])],
    ['an array over many lines', `\ufeff \n${JSON.stringify([mario, anna, record], null, 2)}\n `],
    ['one object a line', [mario, anna, record].map((row) => JSON.stringify(row)).join('\n')],
    [
      'one object a line, with empty lines',
      `\r\n${[mario, anna, record].map((row) => JSON.stringify(row)).join('\r\n\r\n')}\r\n`,
    ],
  ])('may contain flat rows and records of the API, as %s', async (_, text) => {
    const read = await readSheet(text);
    expect(read.error).toBeNull();
    expect(read.items).toMatchObject([
      { kind: 'user', row: 1, principal: { ID: 1 }, user: { Username: 'mario', ConfirmPassword: 'segreto' } },
      { kind: 'user', row: 2, principal: { ExternalKey: 'A1' }, user: { Username: 'anna' } },
      {
        kind: 'record',
        row: 3,
        record: {
          ID: 5,
          Users: [
            { ID: 7, Password: 'nuova', ConfirmPassword: 'nuova' },
            { Username: 'pia', Password: 'a', ConfirmPassword: 'b' },
            null,
          ],
          Position: 3,
        },
      },
    ]);
  });

  it('may be an empty array', async () => {
    expect(await readSheet(' [ ] ')).toMatchObject({ items: [], error: null });
  });

  it('may have IDs as numbers or strings, and other fields only as strings', async () => {
    const rows = [
      mario,
      { ...mario, ID: '12' },
      { ...mario, ID: 1.5 },
      { ...mario, ID: 2 ** 53 },
      { ...mario, Password: 12345678 },
      { ...mario, ID: null, UserID: '' },
    ];
    const read = await readSheet(JSON.stringify(rows));
    expect(read.items[1]).toMatchObject({ principal: { ID: 12 } });
    expect(faultsOf(read)).toEqual({
      3: [{ code: 'INVALID_ID', field: 'ID' }],
      4: [{ code: 'INVALID_ID', field: 'ID' }],
      5: [{ code: 'NOT_A_TEXT', column: 'Password' }],
      6: [{ code: 'NO_PRINCIPAL' }],
    });
  });

  it('has its unknown names reported for the first row, and an error for others in a later row', async () => {
    const rows = [
      { ...mario, Note: 'x' },
      { ...mario, Note: 'y' },
      { ...mario, Nota: 'z' },
      { ...mario, E: '' },
    ];
    const read = await readSheet(JSON.stringify(rows));
    expect(read.sheet?.unknown).toEqual(['Note']);
    expect(faultsOf(read)).toEqual({ 3: [{ code: 'UNKNOWN_COLUMN', column: 'Nota' }] });
    const mapped = await readSheet(JSON.stringify(rows), { columns: { Nota: null } });
    expect(faultsOf(mapped)).toEqual({});
    const unnamed = await readSheet(JSON.stringify([{ ...mario, '': 'x' }]));
    expect(faultsOf(unnamed)).toEqual({ 1: [{ code: 'UNKNOWN_COLUMN', column: '' }] });
  });

  it('is refused if no name of the first row is known', async () => {
    const { error } = await readSheet('[{"User of mine":"mario"}]');
    expect(error).toMatchObject({ code: 'MISSING_COLUMN', figures: { found: ['User of mine'] } });
  });

  it('has an error if two names of a row are the same field, or if a name is repeated', async () => {
    const read = await readSheet(
      `[${JSON.stringify(mario)},{"ID":1,"Username":"a","Email":"b","E-mail":"c","Password":"d"},` +
        '\n {"ID":1,"Username":"a","Password":"b\\":","Password":"c"}]',
    );
    expect(faultsOf(read)).toEqual({
      2: [{ code: 'DUPLICATE_COLUMN', field: 'Email', columns: ['Email', 'E-mail'] }],
      3: [{ code: 'DUPLICATE_NAME', line: 2, column: 2 }],
    });
  });

  it('has errors with line and column, and its other elements are read if they can be separated', async () => {
    const array = `[\n${JSON.stringify(mario)},\n  {"ID": 01},\n 7,\n${JSON.stringify(mario)}]`;
    expect(faultsOf(await readSheet(array))).toEqual({
      2: [{ code: 'INVALID_JSON', line: 3, column: 11 }],
      3: [{ code: 'NOT_AN_OBJECT', line: 4, column: 2 }],
    });
    const lines = `${JSON.stringify(mario)}\n{"ID": 01}\n"x\n${JSON.stringify(mario)}`;
    expect(faultsOf(await readSheet(lines))).toEqual({
      2: [{ code: 'INVALID_JSON', line: 2, column: 9 }],
      3: [{ code: 'INVALID_JSON', line: 3, column: 3 }],
    });
  });

  it.each([
    ['a quote is missing', '[{"ID":1,"Username":"mario,\n"Password":"b"}]', 1, 28],
    [
      'a quote is missing in a file of one line',
      '[{"ID":1,"Username":"mario,"Password":"b"},{"ID":1}]',
      1,
      29,
    ],
    ['it ends in an element', '[\n{"ID":1,\n"Users":[', 3, 10],
    ['it ends between elements', '[{"ID":1}\n ', 2, 2],
    ['a comma is too many', '[{"ID":1},\n]', 2, 1],
    ['a comma comes first', '[,{"ID":1}]', 1, 2],
    ['something follows', '[{"ID":1}]\n x', 2, 2],
    ['a bracket closes nothing', '[{"ID":1}},{}]', 1, 10],
  ])('is not read further if %s', async (_, text, line, column) => {
    expect((await readSheet(text)).error).toMatchObject({ code: 'INVALID_JSON', figures: { line, column } });
  });

  it('may not be one object over many lines', async () => {
    const { error } = await readSheet(`\n ${JSON.stringify({ records: [mario] }, null, 2)}`);
    expect(error).toMatchObject({ code: 'NOT_A_LIST', figures: { line: 2, column: 2 } });
    expect((await readSheet('{}', { format: 'json' })).error?.code).toBe('NOT_A_LIST');
  });

  it('has a maximum size per element', async () => {
    const large = JSON.stringify({ ...mario, Password: 'a'.repeat(33_554_432) });
    const lines = await readSheet(`${large}\n${JSON.stringify(mario)}\n`, { format: 'ndjson' });
    expect(faultsOf(lines)).toEqual({ 1: [{ code: 'ROW_TOO_LARGE', line: 1, limit: 33_554_432 }] });
    expect(lines.items[1]).toMatchObject({ kind: 'user', line: 2 });
    const array = await readSheet(`[${JSON.stringify(mario)},\n${large}]`);
    expect(array.error).toMatchObject({ code: 'ROW_TOO_LARGE', figures: { line: 2 } });
    expect(array.items).toHaveLength(1);
  });

  it('may be nested 200,000 levels deep', async () => {
    const opening = '['.repeat(200_000);
    const deep = opening + ']'.repeat(200_000);
    const read = await readSheet(
      `[${JSON.stringify(mario)},{"ID":1,"Username":"a","Password":${deep}},${opening}`,
    );
    expect(faultsOf(read)).toEqual({ 2: [{ code: 'NOT_A_TEXT', column: 'Password' }] });
    expect(read.error?.code).toBe('INVALID_JSON');
  });

  it('can arrive in any chunks, and can be read from the end of every element', async () => {
    const value = fc.string({
      unit: fc.constantFrom('a', '"', '\\', '\n', '[', '}', ',', 'è', '😀'),
      maxLength: 6,
    });
    const rows = fc.array(fc.record({ ID: fc.nat(), Username: value, Password: value, Note: value }), {
      maxLength: 6,
    });
    const layout = fc.constantFrom('json', 'ndjson', 'pretty');
    await fc.assert(
      fc.asyncProperty(rows, layout, fc.array(fc.nat(400)), async (objects, kind, cuts) => {
        const text =
          kind === 'ndjson'
            ? objects.map((object) => `${JSON.stringify(object)}\n`).join('')
            : JSON.stringify(objects, null, kind === 'pretty' ? 2 : 0);
        const format = kind === 'ndjson' ? 'ndjson' : 'json';
        const whole = await readSheet(text, { format }, cuts);
        expect(whole.error).toBeNull();
        expect(whole.items.map(({ source }) => source)).toEqual(objects);
        for (const [at, { end }] of whole.items.entries()) {
          const rest = await readSheet(Buffer.from(text).subarray(end.byte), { from: end }, cuts);
          const bare = ({ end: { layout: _, ...mark }, ...item }: (typeof rest.items)[number]) => ({
            ...item,
            ...mark,
          });
          expect(rest.error).toBeNull();
          expect(rest.items.map(bare)).toEqual(whole.items.slice(at + 1).map(bare));
        }
      }),
      runs(60),
    );
  });

  it('has its error at the offset where a valid text is cut off or damaged', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, at) => {
        expect(faultIn(text)).toBe(text.length);
        const cut = text.slice(0, at % text.length);
        expect(faultIn(`${cut}\x01`)).toBeGreaterThanOrEqual(faultIn(cut));
        if (isJson(cut)) return;
        // The error of a truncated literal or number is at its first character.
        const word = /[\w.+-]*$/.exec(cut)?.[0].length ?? 0;
        expect(faultIn(cut)).toBeLessThanOrEqual(cut.length);
        expect(faultIn(cut)).toBeGreaterThanOrEqual(cut.length - Math.max(word, 6));
      }),
      runs(500),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
