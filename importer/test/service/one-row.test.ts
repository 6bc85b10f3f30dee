import {
  canSignIn,
  importRowsOf,
  newWorkFolder,
  rowsOf,
  storedUsernames,
  type WorkFolder,
} from '@anagrafe/testing/importing';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;
let folder: WorkFolder;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
  folder = newWorkFolder(service);
});

describe('a single row of an import', () => {
  it('that the service cannot parse does not make other rows fail', async () => {
    const row = (Username: string) =>
      JSON.stringify({ ID: principal, Username, Password: 'una frase lunga' });
    const deep = JSON.stringify({ ID: principal, Users: [[[[[[[[]]]]]]]] });
    folder.write('odd.ndjson', [row('odd.1'), row('odd.\ud800'), deep, row('odd.2')].join('\n'));
    const { code, stderr } = await folder.run(['import', 'odd.ndjson']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('2 of 4 rows applied.')]);
    expect(await storedUsernames(service)).toEqual(expect.arrayContaining(['odd.1', 'odd.2']));
    expect((await importRowsOf(folder, 'odd.failed.ndjson')).length).toBe(2);
  });

  it('with invalid data of its principal fails, and does not prevent another row from inserting that principal', async () => {
    folder.write(
      'described.csv',
      'ExternalKey,Denomination,PrincipalEmail,Username,Password\n' +
        'D1,One,no address,described.1,una frase lunga\nD1,One,one@example.com,described.2,una frase lunga\n' +
        'D2,Two,no address,described.3,una frase lunga\n',
    );
    expect((await folder.run(['import', 'described.csv'])).code).toBe(3);
    expect(
      rowsOf(folder, 'described.failed.csv').map((row) => [row.Username, row['Anagrafe errors']]),
    ).toEqual([
      ['described.1', 'PrincipalEmail: This is not a valid email address.'],
      ['described.3', 'PrincipalEmail: This is not a valid email address.'],
    ]);
    expect(await storedUsernames(service)).toContain('described.2');
  });

  it('that would reset a password fails', async () => {
    folder.write('wrong.csv', `ID,UserID,Username,Password\n${principal},1,,una frase lunga\n`);
    expect((await folder.run(['import', 'wrong.csv'])).code).toBe(3);
    expect(rowsOf(folder, 'wrong.failed.csv')[0]?.['Anagrafe errors']).toMatch(
      /^UserID: This row resets a password/,
    );
  });

  it('that would delete a user fails', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    await service.call('irs/update', [{ ID, Users: [newUser('undeleted')] }]);
    folder.write(
      'delete.json',
      JSON.stringify([{ ID, Users: [{ Username: 'undeleted', Operation: 'delete' }] }]),
    );
    for (const options of [['--dry-run'], []])
      expect((await folder.run(['import', 'delete.json', ...options])).code).toBe(3);
    expect(folder.read('delete.failed.ndjson')).toContain('Users[0].Operation: An import registers users.');
    expect(await storedUsernames(service)).toContain('undeleted');
  });

  it('that would reset a password fails as a JSON record too', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const Password = 'quella di prima';
    const { body } = await service.call<{ Item6: { Users: { ID: number }[] } }>(
      'irs/update',
      [{ ID, Users: [{ Username: 'unreset', Password, ConfirmPassword: Password }] }],
      { headers: { Prefer: 'return=representation' } },
    );
    const user = body.result?.records[0]?.Item6.Users[0]?.ID;
    const records = [
      { ID, Users: [newUser('beside'), { ID: user, Password: 'quella di dopo' }] },
      { ID, Users: [{ ...newUser('unnumbered'), ID: null }] },
    ];
    folder.write('resets.json', JSON.stringify(records));
    for (const options of [['--dry-run'], []]) {
      expect((await folder.run(['import', 'resets.json', ...options])).code).toBe(3);
      const kept = folder.read(options.length > 0 ? 'resets.would-fail.ndjson' : 'resets.failed.ndjson');
      expect(kept.trimEnd().split('\n')).toHaveLength(1);
      expect(kept).toContain('Users[1].ID: This row resets a password. Use \\"anagrafe reset\\" for it.');
    }
    expect(await canSignIn(service, 'unreset', Password)).toBe(true);
    expect(await storedUsernames(service)).not.toContain('beside');
  });
});
