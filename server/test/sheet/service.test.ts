import { beforeAll, describe, expect, it } from 'vitest';
import type { UserItem } from '../../../client/src/sheet/index.ts';
import { insertPrincipals, startTestService, type TestService } from '../setup/service.ts';
import { readSheet } from './reading.ts';

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

function usersOf(items: readonly { kind: string }[]): UserItem[] {
  return items.filter((item): item is UserItem => item.kind === 'user');
}

describe('the service', () => {
  it('accepts registrations and resets as read from a sheet', async () => {
    const registrations = await readSheet(
      'ID anagrafica;Nome utente;E-mail;Password\r\n' +
        `${principal};pippo;pippo@example.com; una frase lunga \r\n${principal};anna;;"una ""frase""; lunga"\r\n`,
    );
    const users = usersOf(registrations.items);
    const Users = users.map(({ user }) => user);
    const registered = await service.call('irs/update', [{ ...users[0]?.principal, Users }], {
      headers: { prefer: 'return=representation' },
    });
    expect(registered.status).toBe(200);
    const ids = registered.body.result?.records[0]?.Item6.Users?.map(({ ID }) => ID) ?? [];
    expect(ids).toHaveLength(2);
    const resets = await readSheet(
      `IRID,ID utente,Password,Conferma password\n${principal},${ids[1]},una frase nuova,una frase nuova\n`,
    );
    const records = usersOf(resets.items).map(({ principal, user }) => ({ ...principal, Users: [user] }));
    expect((await service.call('irs/update', records)).status).toBe(200);
  });

  it('accepts principals with their users as read from a sheet', async () => {
    const { items } = await readSheet(
      'Codice cliente,Ragione sociale,Cognome,Nome,P.IVA,Codice fiscale,Email azienda,Login,Password\n' +
        'K1,Rossi Srl,Rossi,Mario,IT1,RSS,info@example.com,mario,una frase lunga\n',
    );
    const records = usersOf(items).map(({ principal, user }) => ({ ...principal, Users: [user] }));
    expect(await service.call('irs/insert', records)).toMatchObject({ status: 200 });
  });
});
