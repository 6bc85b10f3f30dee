import { errorsOf, readFile } from '@anagrafe/testing/import-file';
import { runs } from '@anagrafe/testing/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { syntaxErrorOffset } from '../src/file/json-element.ts';

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
    const read = await readFile(text);
    expect(read.error).toBeNull();
    expect(read.rows).toMatchObject([
      {
        kind: 'user',
        number: 1,
        principal: { ID: 1 },
        user: { Username: 'mario', ConfirmPassword: 'segreto' },
      },
      { kind: 'user', number: 2, principal: { ExternalKey: 'A1' }, user: { Username: 'anna' } },
      {
        kind: 'record',
        number: 3,
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
    expect(await readFile(' [ ] ')).toMatchObject({ rows: [], error: null });
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
    const read = await readFile(JSON.stringify(rows));
    expect(read.rows[1]).toMatchObject({ principal: { ID: 12 } });
    expect(errorsOf(read)).toEqual({
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
    const read = await readFile(JSON.stringify(rows));
    expect(read.file?.unknown).toEqual(['Note']);
    expect(errorsOf(read)).toEqual({ 3: [{ code: 'UNKNOWN_COLUMN', column: 'Nota' }] });
    const mapped = await readFile(JSON.stringify(rows), { columns: { Nota: null } });
    expect(errorsOf(mapped)).toEqual({});
    const unnamed = await readFile(JSON.stringify([{ ...mario, '': 'x' }]));
    expect(errorsOf(unnamed)).toEqual({ 1: [{ code: 'UNKNOWN_COLUMN', column: '' }] });
  });

  it('is refused if no name of the first row is known', async () => {
    const { error } = await readFile('[{"User of mine":"mario"}]');
    expect(error).toMatchObject({ code: 'MISSING_COLUMN', params: { found: ['User of mine'] } });
  });

  it('has an error if two names of a row are the same field, or if a name is repeated', async () => {
    const read = await readFile(
      `[${JSON.stringify(mario)},{"ID":1,"Username":"a","Email":"b","E-mail":"c","Password":"d"},` +
        '\n {"ID":1,"Username":"a","Password":"b\\":","Password":"c"}]',
    );
    expect(errorsOf(read)).toEqual({
      2: [{ code: 'DUPLICATE_COLUMN', field: 'Email', columns: ['Email', 'E-mail'] }],
      3: [{ code: 'DUPLICATE_NAME', line: 2, column: 2 }],
    });
  });

  it('has errors with line and column, and its other elements are read if they can be separated', async () => {
    const array = `[\n${JSON.stringify(mario)},\n  {"ID": 01},\n 7,\n${JSON.stringify(mario)}]`;
    expect(errorsOf(await readFile(array))).toEqual({
      2: [{ code: 'INVALID_JSON', line: 3, column: 11 }],
      3: [{ code: 'NOT_AN_OBJECT', line: 4, column: 2 }],
    });
    const lines = `${JSON.stringify(mario)}\n{"ID": 01}\n"x\n${JSON.stringify(mario)}`;
    expect(errorsOf(await readFile(lines))).toEqual({
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
    expect((await readFile(text)).error).toMatchObject({ code: 'INVALID_JSON', params: { line, column } });
  });

  it('may not be one object over many lines', async () => {
    const { error } = await readFile(`\n ${JSON.stringify({ records: [mario] }, null, 2)}`);
    expect(error).toMatchObject({ code: 'NOT_A_LIST', params: { line: 2, column: 2 } });
    expect((await readFile('{}', { format: 'json' })).error?.code).toBe('NOT_A_LIST');
  });

  it('is refused as a whole if it is an export, also as an array and with the columns of failed rows', async () => {
    const principal = { ID: 1, Denomination: 'Rossi Srl', CreatedAt: '2026-01-31T00:00:00Z', UsersCount: 1 };
    const exported = { ...principal, Users: [{ ID: 1, Username: 'mario' }] };
    for (const content of [exported, [exported], { 'Anagrafe line': 1, ...exported }])
      expect((await readFile(JSON.stringify(content))).error?.code).toBe('EXPORT_FILE');
    const { UsersCount: _, ...record } = exported;
    expect((await readFile(JSON.stringify(record))).error).toBeNull();
  });

  it('has a maximum size per element', async () => {
    const large = JSON.stringify({ ...mario, Password: 'a'.repeat(33_554_432) });
    const lines = await readFile(`${large}\n${JSON.stringify(mario)}\n`, { format: 'ndjson' });
    expect(errorsOf(lines)).toEqual({ 1: [{ code: 'ROW_TOO_LARGE', line: 1, limit: 33_554_432 }] });
    expect(lines.rows[1]).toMatchObject({ kind: 'user', line: 2 });
    const array = await readFile(`[${JSON.stringify(mario)},\n${large}]`);
    expect(array.error).toMatchObject({ code: 'ROW_TOO_LARGE', params: { line: 2 } });
    expect(array.rows).toHaveLength(1);
  });

  it('may be nested 200,000 levels deep', async () => {
    const opening = '['.repeat(200_000);
    const deep = opening + ']'.repeat(200_000);
    const read = await readFile(
      `[${JSON.stringify(mario)},{"ID":1,"Username":"a","Password":${deep}},${opening}`,
    );
    expect(errorsOf(read)).toEqual({ 2: [{ code: 'NOT_A_TEXT', column: 'Password' }] });
    expect(read.error?.code).toBe('INVALID_JSON');
  });

  it('can arrive in any chunks', async () => {
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
        const whole = await readFile(text, { format }, cuts);
        expect(whole.error).toBeNull();
        expect(whole.rows.map(({ source }) => source)).toEqual(objects);
      }),
      runs(60),
    );
  });

  it('has its error at the offset where a valid text is cut off or damaged', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, at) => {
        expect(syntaxErrorOffset(text)).toBe(text.length);
        const cut = text.slice(0, at % text.length);
        expect(syntaxErrorOffset(`${cut}\x01`)).toBeGreaterThanOrEqual(syntaxErrorOffset(cut));
        if (isJson(cut)) return;
        // The error of a truncated literal or number is at its first character.
        const word = /[\w.+-]*$/.exec(cut)?.[0].length ?? 0;
        expect(syntaxErrorOffset(cut)).toBeLessThanOrEqual(cut.length);
        expect(syntaxErrorOffset(cut)).toBeGreaterThanOrEqual(cut.length - Math.max(word, 6));
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
