import { Anagrafe } from '@anagrafe/client';
import { cut, readFile } from '@anagrafe/testing/import-file';
import { describe, expect, it } from 'vitest';
import { combineRows, FileComparer, openImportFile, readSyncFile } from '../src/index.ts';

/** Nothing is looked up for these files. */
const connection = { anagrafe: new Anagrafe({ url: 'http://127.0.0.1:1' }) };

const usersOf = (count: number, prefix = 'u') =>
  Array.from({ length: count }, (_, n) => ({ Username: `${prefix}.${n}`, PasswordHash: 'x' }));
const record = (key: string, count: number) =>
  JSON.stringify({ ExternalKey: key, Users: usersOf(count, key) });

const rowsOf = (count: number) =>
  ['ExternalKey,Username', ...usersOf(count).map(({ Username }) => `K,${Username}`), 'L,other'].join('\n');

describe('a record of a JSON file', () => {
  it('is refused before it is sent if it has more than 10,000 users', async () => {
    const { rows } = await readFile(`${record('a', 10_000)}\n${record('b', 10_001)}`);
    const comparer = new FileComparer({ existing: 'refuse', unit: 'line', readAll: null });
    const { errors } = await comparer.compare(rows, connection);
    expect([...errors]).toEqual([
      [
        2,
        [
          {
            code: 'RECORD_TOO_LARGE',
            column: 'Users',
            message:
              'The record has more than 10,000 users. Split its users over several records of the same principal.',
          },
        ],
      ],
    ]);
  });
});

describe('a principal with more than 10,000 users in the rows of a file', () => {
  it('is not among the records that are compared as a whole', async () => {
    const options = { withoutPasswords: true };
    const fitting = combineRows((await readFile(rowsOf(10_000), options)).rows);
    expect([fitting.groups.length, fitting.tooLarge]).toEqual([2, []]);
    const { groups, tooLarge } = combineRows((await readFile(rowsOf(10_001), options)).rows);
    expect([groups, tooLarge].map((found) => found.map(({ key }) => key))).toEqual([['L'], ['K']]);
  });

  it('is one error of a sync, which names its first row', async () => {
    const named = rowsOf(10_001).replace('ExternalKey', 'ID').replaceAll('K,', '1,').replace('L,', '2,');
    const file = await openImportFile(cut(named), { withoutPasswords: true });
    const { errors } = await readSyncFile(file, { clearEmpty: false, generate: null }, connection);
    expect(errors).toMatchObject([
      {
        number: 1,
        line: 2,
        errors: [
          {
            code: 'PRINCIPAL_TOO_LARGE',
            message:
              'The file has more than 10,000 users of this principal, too many to compare at once. Use "anagrafe import --update".',
          },
        ],
      },
    ]);
  });
});
