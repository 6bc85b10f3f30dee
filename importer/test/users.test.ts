import { errorsOf, readFile } from '@anagrafe/testing/import-file';
import { describe, expect, it } from 'vitest';

describe('a row of a file', () => {
  it('is a registration if it has a username, and a reset if it has the ID of a user', async () => {
    const { rows } = await readFile(
      'ID,UserID,Username,Email,Password\n1,,mario,m@example.com,segreto\n2,7,,,nuova\n',
    );
    expect(rows).toMatchObject([{ number: 1 }, { number: 2 }]);
    expect(rows.map((row) => row.kind === 'user' && [row.principal, row.user])).toEqual([
      [
        { ID: 1 },
        { Username: 'mario', Email: 'm@example.com', Password: 'segreto', ConfirmPassword: 'segreto' },
      ],
      [{ ID: 2 }, { ID: 7, Password: 'nuova', ConfirmPassword: 'nuova' }],
    ]);
  });

  it('names its principal by the ID or by other fields', async () => {
    const { rows } = await readFile(
      'ID,ExternalKey,Denomination,Surname,Name,Vatnumber,Taxcode,PrincipalEmail,Username,PasswordHash\n' +
        ',K,Rossi Srl,Rossi,Mario,IT1,RSS,a@example.com,mario,$2b$12$x\n',
    );
    expect(rows.map((row) => row.kind === 'user' && [row.principal, row.user])).toEqual([
      [
        {
          ExternalKey: 'K',
          Denomination: 'Rossi Srl',
          Surname: 'Rossi',
          Name: 'Mario',
          Vatnumber: 'IT1',
          Taxcode: 'RSS',
          Email: 'a@example.com',
        },
        { Username: 'mario', PasswordHash: '$2b$12$x' },
      ],
    ]);
  });

  it('belongs to the principal of the options if it names none', async () => {
    const { rows } = await readFile('ID,Username,Password\n,a,b\n3,c,d\n', { principal: { ID: 9 } });
    expect(rows).toMatchObject([{ principal: { ID: 9 } }, { principal: { ID: 3 } }]);
    expect(errorsOf(await readFile('ID,Username,Password\n,a,b\n'))).toEqual({
      1: [{ code: 'NO_PRINCIPAL' }],
    });
  });

  it.each(['12abc', '1.5', '1e3', '0', '-1', '+1', '1 2', '007', '1.000', '0x10', '9007199254740992', '１'])(
    'has an error if an ID is %j',
    async (id) => {
      const read = await readFile(`ID;UserID;Password\n${id};1;a\n1;${id};a\n`);
      expect(errorsOf(read)).toEqual({
        1: [{ code: 'INVALID_ID', field: 'ID' }],
        2: [{ code: 'INVALID_ID', field: 'UserID' }],
      });
    },
  );

  it('has an error if it is neither a registration nor a reset, or both', async () => {
    const read = await readFile('ID,UserID,Username,Email,Password\n1,,,,a\n1,2,b,,a\n1,2,,b,a\nx,,,,\n');
    expect(errorsOf(read)).toEqual({
      1: [{ code: 'UNRECOGNISED_USER' }],
      2: [{ code: 'AMBIGUOUS_USER' }],
      3: [{ code: 'NOT_FOR_RESET', field: 'Email' }],
      4: [{ code: 'INVALID_ID', field: 'ID' }, { code: 'UNRECOGNISED_USER' }],
    });
  });

  it('must confirm its password if there is a column ConfirmPassword', async () => {
    const read = await readFile(
      'ID,Username,Password,ConfirmPassword\n1,a,b,b\n1,a,b,c\n1,a,b,\n1,a,,b\n1,a,,\n',
    );
    expect(errorsOf(read)).toEqual({
      2: [{ code: 'PASSWORDS_DIFFER' }],
      3: [{ code: 'PASSWORDS_DIFFER' }],
      4: [{ code: 'PASSWORDS_DIFFER' }],
    });
    expect(read.rows[4]).toMatchObject({ kind: 'user', user: { Username: 'a' } });
  });
});

describe('a row of a file of resets', () => {
  it('names its user by the username or by the ID, and needs no principal with a username', async () => {
    const { rows } = await readFile(
      'ID,UserID,Username,Password\n,,mario,nuova\n2,7,,nuova\n3,,anna,nuova\n',
      { resets: true },
    );
    expect(rows.map((row) => row.kind === 'user' && [row.principal, row.user])).toEqual([
      [{}, { Username: 'mario', Password: 'nuova', ConfirmPassword: 'nuova' }],
      [{ ID: 2 }, { ID: 7, Password: 'nuova', ConfirmPassword: 'nuova' }],
      [{ ID: 3 }, { Username: 'anna', Password: 'nuova', ConfirmPassword: 'nuova' }],
    ]);
    const { rows: named } = await readFile('Username,Password\nmario,nuova\n', { resets: true });
    expect(named).toMatchObject([{ kind: 'user', principal: {} }]);
  });

  it('has an error if the ID of a user has no principal, or if a field is not allowed in a reset', async () => {
    const read = await readFile(
      'ID,UserID,Username,Email,Password,PasswordHash\n,7,,,a,\n,,mario,m@example.com,a,b\n,7,mario,,a,\n,,anna,a@example.com,a,\n',
      {
        resets: true,
      },
    );
    expect(errorsOf(read)).toEqual({
      1: [{ code: 'NO_PRINCIPAL' }],
      2: [{ code: 'NOT_FOR_RESET', field: 'PasswordHash' }],
      3: [{ code: 'AMBIGUOUS_USER' }],
    });
  });
});

it('a file without passwords is accepted only with the option withoutPasswords', async () => {
  const text = 'ID,Username\n1,mario\n';
  const { rows } = await readFile(text, { withoutPasswords: true });
  expect(rows).toMatchObject([{ kind: 'user', user: { Username: 'mario' } }]);
  expect(await readFile(text)).toMatchObject({ error: { code: 'MISSING_COLUMN' } });
});
