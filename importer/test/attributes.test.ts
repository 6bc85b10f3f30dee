import { errorsOf, readFile } from '@anagrafe/testing/import-file';
import { describe, expect, it } from 'vitest';

async function attributesIn(content: string) {
  const { rows } = await readFile(content, { principal: { ID: 1 } });
  return rows.map((row) => (row.kind === 'user' && 'Attributes' in row.user ? row.user.Attributes : null));
}

describe('the attributes of a user in a file', () => {
  it('are JSON in the column Attributes, or one value in each column with the name of an attribute', async () => {
    const content =
      'Username,Password,Attributes,Attributes.Floor,attributi.cost.Centre\n' +
      'a,b,"{""Department"":""Sales""}",2,K1\n' +
      'c,d,,,\n' +
      'e,f,{},,K2\n';
    expect(await attributesIn(content)).toEqual([
      { Department: 'Sales', Floor: '2', 'cost.Centre': 'K1' },
      null,
      { 'cost.Centre': 'K2' },
    ]);
  });

  it('are an object or its JSON in a flat row of a JSON file', async () => {
    const rows = [
      { Username: 'a', Password: 'b', Attributes: { Floor: '2' } },
      { Username: 'c', Password: 'd', Attributes: '{"Floor":"3"}' },
    ];
    expect(await attributesIn(JSON.stringify(rows))).toEqual([{ Floor: '2' }, { Floor: '3' }]);
  });

  it('are an error of their row if they are not a JSON object, or if a column contradicts them', async () => {
    const content =
      'ID,Username,Password,Attributes,Attributes.Floor\n' +
      '1,a,b,Sales,\n1,c,d,"[""Sales""]",\n1,e,f,null,\n' +
      '1,g,h,"{""Floor"":""1""}",2\n1,i,j,"{""Floor"":""2""}",2\n';
    const read = await readFile(content);
    expect(errorsOf(read)).toEqual({
      1: [{ code: 'ATTRIBUTES_NOT_JSON' }],
      2: [{ code: 'ATTRIBUTES_NOT_JSON' }],
      3: [{ code: 'ATTRIBUTES_NOT_JSON' }],
      4: [
        { code: 'DUPLICATE_COLUMN', field: 'Attributes.Floor', columns: ['Attributes', 'Attributes.Floor'] },
      ],
    });
    expect(read.rows[4]).toMatchObject({ kind: 'user', user: { Attributes: { Floor: '2' } } });
  });

  it('are not accepted in a row that resets a password', async () => {
    const read = await readFile('ID,UserID,Password,Attributes.Floor\n1,7,x,2\n1,8,x,\n');
    expect(errorsOf(read)).toMatchObject({ 1: [{ code: 'NOT_FOR_RESET' }] });
    expect(read.rows[1]).toMatchObject({ kind: 'user', user: { ID: 8 } });
  });

  it('can be mapped from a column of any name', async () => {
    const { rows } = await readFile('Username,Password,Reparto\na,b,Vendite\n', {
      principal: { ID: 1 },
      columns: { Reparto: 'Attributes.Department' },
    });
    expect(rows).toMatchObject([{ user: { Attributes: { Department: 'Vendite' } } }]);
  });
});

it('the headings of the names of a person mean the user', async () => {
  const { file } = await readFile('Username;Password;First name;Last name;Lingua\n', {
    principal: { ID: 1 },
  });
  expect(file?.columns.map(({ field }) => field)).toEqual([
    'Username',
    'Password',
    'FirstName',
    'LastName',
    'Language',
  ]);
});
