import { readFile } from '@anagrafe/testing/import-file';
import { describe, expect, it } from 'vitest';
import { noAliases } from '../src/import/principal-aliases.ts';
import { principalRows } from '../src/import/records.ts';
import { compareRows, RowComparer } from '../src/import/row-comparer.ts';
import { combineRows, errorsByRow } from '../src/index.ts';

/** Returns a record that combines rows of the principal with the external key K. */
async function groupOf(usernames: readonly string[], denominations: readonly string[] = []) {
  const lines = usernames.map((username, at) => `K,${denominations[at] ?? ''},${username},una frase lunga\n`);
  const { rows } = await readFile(`ExternalKey,Denomination,Username,Password\n${lines.join('')}`);
  const members = principalRows(rows).ofPrincipals;
  return { members, record: { ExternalKey: 'K', Denomination: denominations.at(-1) } };
}

const message = 'The record was not applied.';

describe('the errors of a record', () => {
  it('belong to the row whose user they name, if the record combines rows', async () => {
    const errors = errorsByRow(
      await groupOf(['anna', 'mario', 'pia']),
      { 'Users[1].Username': [{ code: 'USERNAME_TAKEN', message: 'This username is taken.' }] },
      message,
    );
    expect([...errors]).toEqual([
      [2, [{ column: 'Username', message: 'This username is taken.', serviceCode: 'USERNAME_TAKEN' }]],
    ]);
  });

  it('belong to all rows of a combined record if they name no user', async () => {
    const errors = errorsByRow(
      await groupOf(['anna', 'mario']),
      {
        Denomination: [{ code: 'CONTROL_CHARACTER', message: 'Not allowed.' }],
        'Users[0].Email': [{ code: 'EMAIL_INVALID', message: 'Not an address.' }],
      } as never,
      message,
    );
    const principalError = {
      column: 'Denomination',
      message: 'Not allowed.',
      serviceCode: 'CONTROL_CHARACTER',
    };
    expect([...errors]).toEqual([
      [1, [principalError, { column: 'Email', message: 'Not an address.', serviceCode: 'EMAIL_INVALID' }]],
      [2, [principalError]],
    ]);
  });

  it('belong to the rows that state the value that was sent, if they name a field of the principal', async () => {
    const errors = errorsByRow(
      await groupOf(['anna', 'mario', 'pia', 'lia'], ['Alfa', 'Beta', '', 'Beta']),
      { Denomination: [{ code: 'TOO_LONG', message: 'Too long.' }] } as never,
      message,
    );
    expect([...errors.keys()]).toEqual([2, 4]);
  });

  it('name the earlier row if the record has a user twice', async () => {
    const errors = errorsByRow(
      await groupOf(['anna', 'anna']),
      { 'Users[1].Username': [{ code: 'DUPLICATE_USER', message: 'Twice.' }] } as never,
      message,
    );
    expect([...errors]).toMatchObject([[2, [{ code: 'DUPLICATE_USERNAME', column: 'Username' }]]]);
  });

  it.each([
    ['one row', ['anna'], [1]],
    ['several rows', ['anna', 'mario'], [1, 2]],
  ])('are the message of the tuple if it has no field errors, for %s', async (_, usernames, numbers) => {
    const group = await groupOf(usernames);
    expect([...errorsByRow(group, {}, message)]).toEqual(
      numbers.map((number) => [number, [{ column: null, message }]]),
    );
    const withoutMessage = errorsByRow(group, {}, null);
    expect([...withoutMessage.values()].flat().map(({ code }) => code)).toEqual(
      numbers.map(() => 'RECORD_NOT_APPLIED'),
    );
  });
});

describe('all rows of a file', () => {
  const header = 'ID,ExternalKey,Denomination,PrincipalEmail,Username';
  const combined = async (lines: readonly string[]) => {
    const { rows } = await readFile(`${header}\n${lines.join('\n')}\n`, { withoutPasswords: true });
    const { errors, copies } = compareRows(rows, new RowComparer('update', { isStrict: true }), noAliases);
    const consistent = rows.filter(({ number }) => !errors.has(number) && !copies.has(number));
    const { groups, insert, errors: invalid } = combineRows(consistent);
    return { groups, insert, errors: new Map([...errors, ...invalid]) };
  };

  it('become one record for each principal, in the order of its first row', async () => {
    const { groups, insert, errors } = await combined([
      ',C1,Alfa,,a',
      '7,,,,b',
      ',C1,,,c',
      ',,Beta,,d',
      ',C1,Alfa,alfa@example.com,',
    ]);
    expect(groups.map(({ record }) => record)).toEqual([
      {
        ExternalKey: 'C1',
        Denomination: 'Alfa',
        Email: 'alfa@example.com',
        Users: [{ Username: 'a' }, { Username: 'c' }],
      },
      { ID: 7, Users: [{ Username: 'b' }] },
    ]);
    expect(insert.map(({ record }) => record)).toEqual([
      { Denomination: 'Beta', Users: [{ Username: 'd' }] },
    ]);
    expect(errors.size).toBe(0);
  });

  it('are reported with both values if they contradict each other, and are not merged', async () => {
    const { groups, errors } = await combined([
      ',C1,Alfa,a@example.com,a',
      ',C1,Beta,b@example.com,b',
      ',C1,,,A',
    ]);
    expect(groups.map(({ record }) => record)).toMatchObject([{ Denomination: 'Alfa', Users: [{}] }]);
    expect([...errors]).toMatchObject([
      [
        2,
        [
          { column: 'Denomination', contradiction: { value: 'Beta', earlier: 'Alfa', line: 2 } },
          {
            column: 'PrincipalEmail',
            contradiction: { value: 'b@example.com', earlier: 'a@example.com', line: 2 },
          },
        ],
      ],
      [3, [{ column: 'Username', code: 'DUPLICATE_USERNAME' }]],
    ]);
  });

  it('keep the users of a principal alone if no row lists users', async () => {
    const { rows } = await readFile(
      '{"ExternalKey":"C1","Name":"A","Users":null}\n{"ExternalKey":"C1","Users":null}',
    );
    expect(combineRows(rows).groups.map(({ record }) => record)).toEqual([{ ExternalKey: 'C1', Name: 'A' }]);
  });

  it('are sent with values that the service will report, whatever their type', async () => {
    const { rows } = await readFile(
      '{"ExternalKey":"C1","Users":"all"}\n{"ExternalKey":"C1","Users":[],"Note":1}',
    );
    expect(combineRows(rows).groups.map(({ record }) => record)).toEqual([
      { ExternalKey: 'C1', Users: 'all', Note: 1 },
    ]);
  });

  it('have the column of the file in their errors, also in a row without a user', async () => {
    const { groups } = await combined([',C1,Alfa,no address,']);
    const [group] = groups as [(typeof groups)[0]];
    const invalid = { Email: [{ code: 'EMAIL_INVALID', message: 'Not an address.' }] } as never;
    expect([...errorsByRow(group, invalid, null)]).toEqual([
      [1, [{ column: 'PrincipalEmail', message: 'Not an address.', serviceCode: 'EMAIL_INVALID' }]],
    ]);
  });
});
