import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;
let other: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0, other = 0] = await insertPrincipals(service, 2);
});

function newPassword(ID: number) {
  return { ID, Password: 'another long sentence', ConfirmPassword: 'another long sentence' };
}

async function idOf(username: string): Promise<number> {
  const [user] = await service.database.query<{ id: number }>(
    'select id from anagrafe.users where username = $1',
    [username],
  );
  return user?.id ?? 0;
}

/** Returns the complete documented answer for applied records of these principals. */
function documentedAnswer(...ids: number[]): string {
  const records = ids.map(
    (id) => `{"Item1":${id},"Item2":null,"Item3":true,"Item4":null,"Item5":{},"Item6":{}}`,
  );
  const figures = `"totalCount":${ids.length},"totalPages":1,"page":1,"count":${ids.length}`;
  return `{"statusCode":200,"errorCode":null,"message":null,"result":{${figures},"records":[${records.join(',')}],"record":null},"debug":null}`;
}

describe('irs/update as documented', () => {
  it('answers the registration sample byte for byte', async () => {
    const { status, headers, text } = await service.call('irs/update', [
      { ID: principal, Users: [newUser('sample')] },
    ]);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json; ?charset=utf-8$/);
    expect(text).toBe(documentedAnswer(principal));
  });

  it('answers a registration with all documented fields byte for byte', async () => {
    const user = newUser('sample.full', { Email: 'sample@example.com' });
    const { text } = await service.call('irs/update', [{ ID: principal, Users: [user] }]);
    expect(text).toBe(documentedAnswer(principal));
  });

  it('answers the reset sample byte for byte', async () => {
    await service.call('irs/update', [{ ID: principal, Users: [newUser('resets')] }]);
    const { status, text } = await service.call('irs/update', [
      { ID: principal, Users: [newPassword(await idOf('resets'))] },
    ]);
    expect(status).toBe(200);
    expect(text).toBe(documentedAnswer(principal));
  });

  it('registers and resets in one record', async () => {
    await service.call('irs/update', [{ ID: principal, Users: [newUser('mixed.old')] }]);
    const { text } = await service.call('irs/update', [
      { ID: principal, Users: [newUser('mixed.new'), newPassword(await idOf('mixed.old'))] },
    ]);
    expect(text).toBe(documentedAnswer(principal));
    expect(await idOf('mixed.new')).toBeGreaterThan(0);
  });

  it('accepts several records with several users each, and answers in the order sent', async () => {
    const ids = [...(await insertPrincipals(service, 12))].reverse();
    const { text } = await service.call(
      'irs/update',
      ids.map((ID) => ({ ID, Users: [newUser(`many.${ID}.a`), newUser(`many.${ID}.b`)] })),
    );
    expect(text).toBe(documentedAnswer(...ids));
    const stored = await service.database.query<{ principal: number; users: string[] }>(
      `select principal_id as principal, array_agg(username order by id) as users
         from anagrafe.users where principal_id = any($1) group by principal_id order by principal_id desc`,
      [ids],
    );
    expect(stored).toEqual(ids.map((ID) => ({ principal: ID, users: [`many.${ID}.a`, `many.${ID}.b`] })));
  });

  it('answers one tuple per record if two records name the same principal', async () => {
    const { text } = await service.call('irs/update', [
      { ID: principal, Users: [newUser('twice.1')] },
      { ID: other, Users: [newUser('twice.2')] },
      { ID: principal, Users: [newUser('twice.3')] },
    ]);
    expect(text).toBe(documentedAnswer(principal, other, principal));
  });

  it('answers a refused record byte for byte', async () => {
    const user = { Username: 'refused', Password: 'secret', ConfirmPassword: 'Secret' };
    const { status, text } = await service.call('irs/update', [{ ID: principal, Users: [user] }]);
    expect(status).toBe(422);
    const item5 =
      '{"Users[0].ConfirmPassword":[{"code":"PASSWORD_MISMATCH","message":"ConfirmPassword does not match Password."}],' +
      '"Users[0].Password":[{"code":"PASSWORD_TOO_SHORT","message":"The password must have at least 8 characters."}]}';
    const tuple =
      `{"Item1":${principal},"Item2":"INVALID_USERS","Item3":false,` +
      `"Item4":"The users of the record have field errors. The record was not applied.","Item5":${item5},"Item6":{}}`;
    expect(text).toBe(
      `{"statusCode":422,"errorCode":"INVALID_USERS","message":"No record was applied. See result.records for the errors.","result":{"totalCount":1,"totalPages":1,"page":1,"count":1,"records":[${tuple}],"record":null},"debug":null}`,
    );
  });
});

describe('the method of irs/update', () => {
  it.each(['POST', 'PUT', 'PATCH'])('may be %s', async (method) => {
    const { status, text } = await service.call(
      'irs/update',
      [{ ID: principal, Users: [newUser(`by.${method}`)] }],
      { method },
    );
    expect(status).toBe(200);
    expect(text).toBe(documentedAnswer(principal));
    expect(await idOf(`by.${method}`)).toBeGreaterThan(0);
  });

  it.each(['GET', 'DELETE', 'OPTIONS'])('may not be %s: 405 lists the allowed methods', async (method) => {
    const response = await fetch(`${service.url}/api/sync/v1/irs/update`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST, PUT, PATCH');
    expect(await response.json()).toEqual({
      statusCode: 405,
      errorCode: 'METHOD_NOT_ALLOWED',
      message: 'This path does not support the method. Use POST, PUT, PATCH.',
      result: null,
      debug: null,
    });
  });

  it('may not be HEAD', async () => {
    const response = await fetch(`${service.url}/api/sync/v1/irs/update`, { method: 'HEAD' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST, PUT, PATCH');
  });
});

describe('a registration', () => {
  it('stores the username and the email as sent, and updates the user count of the principal', async () => {
    const [fresh = 0] = await insertPrincipals(service, 1);
    await service.call('irs/update', [
      {
        ID: fresh,
        Users: [newUser('Ｗｉｄｅ.Name', { Email: 'Wide.Name@Example.COM' }), newUser('Mario Bianchi')],
      },
    ]);
    const users = await service.database.query(
      'select username, username_key, email, state, last_login_at from anagrafe.users where principal_id = $1 order by id',
      [fresh],
    );
    const same = { state: 'active', last_login_at: null };
    expect(users).toEqual([
      { username: 'Ｗｉｄｅ.Name', username_key: 'wide.name', email: 'Wide.Name@Example.COM', ...same },
      { username: 'Mario Bianchi', username_key: 'mario bianchi', email: null, ...same },
    ]);
    expect(
      await service.database.query('select users_count from anagrafe.principals where id = $1', [fresh]),
    ).toEqual([{ users_count: 2 }]);
  });

  it('may use an email that other users have', async () => {
    const shared = { Email: 'office@example.com' };
    const { status } = await service.call('irs/update', [
      { ID: principal, Users: [newUser('share.1', shared), newUser('share.2', shared)] },
      { ID: other, Users: [newUser('share.3', shared)] },
    ]);
    expect(status).toBe(200);
  });
});
