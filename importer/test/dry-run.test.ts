import { describe, expect, it } from 'vitest';
import { DryRunState, errorsByRow } from '../src/import/dry-run.ts';
import { buildRecords } from '../src/import/records.ts';
import { readFile } from './reading.ts';

/** Returns the update records of rows that all belong to the principal with the external key K. */
async function membersOf(usernames: readonly string[]) {
  const lines = usernames.map((username) => `K,${username},una frase lunga\n`);
  const { rows } = await readFile(`ExternalKey,Username,Password\n${lines.join('')}`);
  return buildRecords(rows).update;
}

const rejected = { Item3: false, Item4: 'The record was not applied.' };

describe('the errors of a record in a dry run', () => {
  it('belong to the row whose user they name, if the record combines rows', async () => {
    const members = await membersOf(['anna', 'mario', 'pia']);
    const errors = errorsByRow(members, {
      ...rejected,
      Item5: { 'Users[1].Username': [{ code: 'USERNAME_TAKEN', message: 'This username is taken.' }] },
    });
    expect([...errors]).toEqual([[2, [{ column: 'Username', message: 'This username is taken.' }]]]);
  });

  it('belong to all rows of a combined record if they name no user', async () => {
    const members = await membersOf(['anna', 'mario']);
    const errors = errorsByRow(members, {
      ...rejected,
      Item5: {
        Denomination: [{ code: 'CONTROL_CHARACTER', message: 'Not allowed.' }],
        'Users[0].Email': [{ code: 'EMAIL_INVALID', message: 'Not an address.' }],
      } as never,
    });
    const principalError = { column: 'Denomination', message: 'Not allowed.' };
    expect([...errors]).toEqual([
      [1, [principalError, { column: 'Email', message: 'Not an address.' }]],
      [2, [principalError]],
    ]);
  });

  it.each([
    ['one row', ['anna'], [1]],
    ['several rows', ['anna', 'mario'], [1, 2]],
  ])('are the message of the tuple if it has no field errors, for %s', async (_, usernames, numbers) => {
    const members = await membersOf(usernames);
    const errors = errorsByRow(members, { ...rejected, Item5: {} });
    expect([...errors]).toEqual(
      numbers.map((number) => [number, [{ column: null, message: 'The record was not applied.' }]]),
    );
    const withoutMessage = errorsByRow(members, { Item3: false, Item4: null, Item5: {} });
    expect([...withoutMessage.values()].flat().map(({ code }) => code)).toEqual(
      numbers.map(() => 'RECORD_NOT_APPLIED'),
    );
  });

  it('are none if the record would be applied', async () => {
    expect(
      errorsByRow(await membersOf(['anna', 'mario']), { Item3: true, Item4: null, Item5: {} }).size,
    ).toBe(0);
  });
});

describe('the state of a dry run', () => {
  it('finds usernames that differ only in case and width, and reserves none of an invalid record', async () => {
    const state = new DryRunState();
    const [first, second, third] = await membersOf(['Anna', 'ＡＮＮＡ', 'mario']);
    if (!first || !second || !third) throw new Error('There are fewer than three rows.');
    expect(state.reserve(first.row, first.record, false)).toEqual([]);
    expect(state.reserve(second.row, second.record, false)).toMatchObject([
      { code: 'USERNAME_TAKEN', column: 'Username' },
    ]);
    expect(state.reserve(third.row, third.record, false)).toEqual([]);
  });
});
