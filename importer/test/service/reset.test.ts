import { canSignIn, newWorkFolder, rowsOf, type WorkFolder } from '@anagrafe/testing/importing';
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

describe('anagrafe reset', () => {
  let ids: number[];

  beforeAll(async () => {
    const Users = ['Nicolò.Reset', 'anna.reset'].map((name) => newUser(name));
    const { body } = await service.call('irs/update', [{ ID: principal, Users }], {
      headers: { prefer: 'return=representation' },
    });
    ids = (body.result?.records[0]?.Item6.Users ?? []).map(({ ID }) => ID ?? 0);
  });

  it('resets passwords by case-insensitive username and by user ID', async () => {
    folder.write(
      'reset.csv',
      'PrincipalID;UserID;Username;Password\n;;NICOLÒ.reset;una frase nuova\n' +
        `${principal};${ids[1]};;una frase nuova\n;;nobody;una frase nuova\n`,
    );
    const { code, stderr } = await folder.run(['reset', 'reset.csv']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('2 of 3 rows applied.')]);
    expect(await canSignIn(service, 'nicolò.reset', 'una frase nuova')).toBe(true);
    expect(await canSignIn(service, 'anna.reset', 'una frase nuova')).toBe(true);
    expect(rowsOf(folder, 'reset.failed.csv').map((row) => row['Anagrafe errors'])).toEqual([
      'Username: There is no user with this username.',
    ]);
  });

  it('does not reset a user of another principal than the row names, and inserts no principal', async () => {
    await service.call('irs/insert', [
      { ExternalKey: 'R1', Users: [newUser('reset.r1')] },
      { ExternalKey: 'R2' },
    ]);
    folder.write(
      'foreign.csv',
      'ExternalKey,Denomination,UserID,Username,Email,Password\n' +
        `R2,,,reset.r1,r1@example.com,una frase nuova\nTYPO,New,${ids[0]},,,una frase nuova\n`,
    );
    expect((await folder.run(['reset', 'foreign.csv'])).code).toBe(3);
    expect(rowsOf(folder, 'foreign.failed.csv').map((row) => row['Anagrafe errors'])).toEqual([
      'UserID: This principal has no user with this ID.',
      expect.stringMatching(/^ExternalKey: There is no principal with this ExternalKey\./),
    ]);
    expect((await service.call('irs/list', { ExternalKey: 'TYPO' })).body.result?.totalCount).toBe(0);
  });

  it('generates new passwords for the users in the file', async () => {
    folder.write('nuove.csv', 'Username\nnicolò.reset\nanna.reset\n');
    const { code } = await folder.run(['reset', 'nuove.csv', '--generate-passwords', 'nuove-password.csv']);
    expect(code).toBe(0);
    const rows = rowsOf(folder, 'nuove-password.csv');
    expect(rows.map(({ Username }) => Username)).toEqual(['nicolò.reset', 'anna.reset']);
    for (const { Username = '', Password = '' } of rows)
      expect([Username, await canSignIn(service, Username, Password)]).toEqual([Username, true]);
  });
});
