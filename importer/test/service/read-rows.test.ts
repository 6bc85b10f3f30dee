import { readFile } from '@anagrafe/testing/import-file';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { UserRow } from '../../src/index.ts';

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

function usersOf(rows: readonly { kind: string }[]): UserRow[] {
  return rows.filter((row): row is UserRow => row.kind === 'user');
}

describe('the service', () => {
  it('accepts registrations and resets as read from a file', async () => {
    const registrations = await readFile(
      'ID anagrafica;Nome utente;E-mail;Password\r\n' +
        `${principal};pippo;pippo@example.com; una frase lunga \r\n${principal};anna;;"una ""frase""; lunga"\r\n`,
    );
    const users = usersOf(registrations.rows);
    const Users = users.map(({ user }) => user);
    const registered = await service.call('irs/update', [{ ...users[0]?.principal, Users }], {
      headers: { prefer: 'return=representation' },
    });
    expect(registered.status).toBe(200);
    const ids = registered.body.result?.records[0]?.Item6.Users?.map(({ ID }) => ID) ?? [];
    expect(ids).toHaveLength(2);
    const resets = await readFile(
      `IRID,ID utente,Password,Conferma password\n${principal},${ids[1]},una frase nuova,una frase nuova\n`,
    );
    const records = usersOf(resets.rows).map(({ principal, user }) => ({ ...principal, Users: [user] }));
    expect((await service.call('irs/update', records)).status).toBe(200);
  });

  it('accepts principals with their users as read from a file', async () => {
    const { rows } = await readFile(
      'Codice cliente,Ragione sociale,Cognome,Nome,P.IVA,Codice fiscale,Email azienda,Login,Password\n' +
        'K1,Rossi Srl,Rossi,Mario,IT1,RSS,info@example.com,mario,una frase lunga\n',
    );
    const records = usersOf(rows).map(({ principal, user }) => ({ ...principal, Users: [user] }));
    expect(await service.call('irs/insert', records)).toMatchObject({ status: 200 });
  });
});
