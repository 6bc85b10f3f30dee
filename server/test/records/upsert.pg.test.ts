import { importedHash, importedUser } from '@anagrafe/testing/jobs';
import { login } from '@anagrafe/testing/login';
import { codesOf, fieldCodesOf, insertPrincipal, unique } from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { counts, countsOf, effectsOf, storedPrincipal, storedRows, upsert } from '@anagrafe/testing/upserts';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Inserts a principal with a user. */
async function company() {
  const username = unique('user');
  const Users = [{ ...importedUser(username), Email: 'mario@example.com', Phone: '+39 02 1' }];
  const fields = { Denomination: 'Rossi Srl', Vatnumber: 'IT01234567890', Users };
  return { ...(await insertPrincipal(service, fields)), username };
}

describe('an upsert', () => {
  it('registers users under a disabled principal only if the record states that it is disabled', async () => {
    const { key } = await company();
    await upsert(service, [{ ExternalKey: key, State: 'disabled' }]);
    const record = { ExternalKey: key, Users: [importedUser(unique('user'))] };
    expect(codesOf(await upsert(service, [record]))).toEqual(['PRINCIPAL_DISABLED']);
    const answer = await upsert(service, [{ ...record, State: 'disabled' }]);
    expect(countsOf(answer)).toEqual(counts({ UsersRegistered: 1 }));
    expect(await storedPrincipal(service, key)).toMatchObject({ state: 'disabled', users_count: 2 });
  });

  it('does not clear the last field of a principal', async () => {
    const { body } = await service.call('irs/insert', [{ Denomination: 'Neri Srl' }]);
    const ID = body.result?.records[0]?.Item1;
    const answer = await upsert(service, [{ ID, Denomination: '' }]);
    expect([answer.status, fieldCodesOf(answer)]).toEqual([422, { Denomination: ['EMPTY_PRINCIPAL'] }]);
  });

  it('stores the outcome of a record that changes nothing', async () => {
    const { record } = await company();
    expect((await upsert(service, [record])).status).toBe(200);
    const outcomes = await service.database.query(
      `select outcomes.position, principal_change from anagrafe.audit_log join anagrafe.outcomes using (call_id)
        where action = 'call.completed' order by audit_log.id desc limit 1`,
    );
    expect(outcomes).toEqual([{ position: 0, principal_change: 'unchanged' }]);
  });

  it('inserts a principal that does not exist, with its users, and returns their IDs', async () => {
    const [key, username] = [unique('C'), unique('user')];
    const answer = await upsert(service, [
      {
        ExternalKey: key,
        Denomination: 'Bianchi Srl',
        Users: [newUser(username, { Email: 'a@example.com' })],
      },
    ]);
    expect([answer.status, answer.body.errorCode]).toEqual([200, null]);
    expect(answer.headers.get('preference-applied')).toBe('return=representation');
    expect(answer.body.result?.records[0]?.Item1).toEqual(expect.any(Number));
    expect(effectsOf(answer)).toEqual([
      {
        Principal: 'inserted',
        Users: [
          { ID: expect.any(Number), Username: username, Email: 'a@example.com', Operation: 'register' },
        ],
      },
    ]);
    expect(countsOf(answer)).toEqual(counts({ PrincipalsInserted: 1, UsersRegistered: 1 }));
    expect((await login(service, username)).status).toBe(200);
    const found = await service.call('irs/list', { Search: 'bianchi' });
    expect(found.body.result?.totalCount).toBe(1);
  });

  it('changes the fields that differ from the stored ones, and names them in the answer', async () => {
    const { key, username, record } = await company();
    const [user] = record.Users;
    const answer = await upsert(service, [
      { ...record, Denomination: 'Rossi SpA', Users: [{ ...user, Email: 'new@example.com' }] },
    ]);
    expect(effectsOf(answer)).toEqual([
      {
        Principal: 'updated',
        Users: [
          {
            ID: expect.any(Number),
            Username: username,
            Email: 'new@example.com',
            Operation: 'edit',
            Changed: ['Email'],
          },
        ],
      },
    ]);
    expect(countsOf(answer)).toEqual(counts({ PrincipalsUpdated: 1, UsersUpdated: 1 }));
    expect(await storedPrincipal(service, key)).toEqual({
      denomination: 'Rossi SpA',
      vatnumber: 'IT01234567890',
      email: null,
      state: 'active',
      users_count: 1,
      users: [{ username, email: 'new@example.com', phone: '+39 02 1', state: 'active' }],
    });
    const found = await service.call('irs/list', { Search: 'spa', ExternalKey: key });
    expect(found.body.result?.totalCount).toBe(1);
  });

  it('writes no row, no audit row and no event for a record that equals the stored data', async () => {
    const { record, username } = await company();
    const before = await storedRows(service);
    const answer = await upsert(service, [record]);
    expect(countsOf(answer)).toEqual(counts({ Unchanged: 1 }));
    expect(effectsOf(answer)).toMatchObject([
      { Principal: 'unchanged', Users: [{ Username: username, Operation: 'none' }] },
    ]);
    expect(await storedRows(service)).toEqual(before);
  });

  it('writes only the records that differ from the stored data', async () => {
    const companies = [await company(), await company(), await company()];
    const before = await storedRows(service);
    const records = companies.map(({ record }) => record);
    const answer = await upsert(service, [
      records[0],
      { ...records[1], Denomination: 'Verdi Srl' },
      records[2],
    ]);
    expect(countsOf(answer)).toEqual(counts({ PrincipalsUpdated: 1, Unchanged: 2 }));
    const after = await storedRows(service);
    const differing = (table: string) =>
      (after[table] ?? []).filter((row) => !(before[table] ?? []).includes(row)).length;
    expect([differing('principals'), differing('users'), differing('changes')]).toEqual([1, 0, 1]);
  });

  it('keeps the stored value of an absent field, and clears a field that is sent as an empty text', async () => {
    const { key, username } = await company();
    await upsert(service, [{ ExternalKey: key, Vatnumber: '', Users: [{ Username: username, Email: '' }] }]);
    expect(await storedPrincipal(service, key)).toMatchObject({
      denomination: 'Rossi Srl',
      vatnumber: null,
      users: [{ email: null, phone: '+39 02 1' }],
    });
    const again = await upsert(service, [{ ExternalKey: key, Vatnumber: '', Email: '' }]);
    expect(countsOf(again)).toEqual(counts({ Unchanged: 1 }));
  });

  it('keeps all users of a principal whose record has no Users, even with missing=delete', async () => {
    const { key } = await company();
    const answer = await upsert(
      service,
      [{ ExternalKey: key, Denomination: 'Rossi & C.' }],
      'missing=delete',
    );
    expect(effectsOf(answer)).toEqual([{ Principal: 'updated', Users: [] }]);
    expect(await storedPrincipal(service, key)).toMatchObject({ users_count: 1 });
  });

  it('registers new users under an existing principal, and reports the principal as unchanged', async () => {
    const { key, record } = await company();
    const added = unique('user');
    const answer = await upsert(service, [{ ...record, Users: [...record.Users, newUser(added)] }]);
    expect(effectsOf(answer)).toMatchObject([
      { Principal: 'unchanged', Users: [{ Operation: 'none' }, { Username: added, Operation: 'register' }] },
    ]);
    expect(countsOf(answer)).toEqual(counts({ UsersRegistered: 1 }));
    expect(await storedPrincipal(service, key)).toMatchObject({ users_count: 2 });
  });

  it('finds a principal by its ID, and refuses an ID that does not exist', async () => {
    const { id: ID, key, record } = await company();
    const { ExternalKey: _, ...fields } = record;
    const answer = await upsert(service, [
      { ...fields, ID, Denomination: 'By ID' },
      { ID: 987_654, Name: 'X' },
    ]);
    expect(codesOf(answer)).toEqual([null, 'PRINCIPAL_NOT_FOUND']);
    expect(await storedPrincipal(service, key)).toMatchObject({ denomination: 'By ID' });
  });

  it('sets the states of principals and users that are sent, also of new ones', async () => {
    const { key, username } = await company();
    await upsert(service, [
      { ExternalKey: key, State: 'disabled', Users: [{ Username: username, State: 'disabled' }] },
    ]);
    expect(await storedPrincipal(service, key)).toMatchObject({
      state: 'disabled',
      users: [{ state: 'disabled' }],
    });
    const inserted = unique('C');
    await upsert(service, [
      {
        ExternalKey: inserted,
        State: 'disabled',
        Users: [importedUser(unique('user'), { State: 'disabled' })],
      },
    ]);
    expect(await storedPrincipal(service, inserted)).toMatchObject({
      state: 'disabled',
      users: [{ state: 'disabled' }],
    });
  });

  it('keeps the spelling of a stored username that is sent in another case', async () => {
    const { key, username } = await company();
    const answer = await upsert(service, [
      { ExternalKey: key, Users: [{ Username: username.toUpperCase() }] },
    ]);
    expect(countsOf(answer)).toEqual(counts({ Unchanged: 1 }));
    expect(await storedPrincipal(service, key)).toMatchObject({ users: [{ username }] });
  });

  it('applies a record completely or not at all', async () => {
    const { key, record } = await company();
    const before = await storedRows(service);
    const answer = await upsert(service, [
      { ...record, Denomination: 'Half', Users: [{ Username: unique('user') }] },
      { ExternalKey: unique('C'), Users: [{ Username: unique('user') }] },
    ]);
    expect(codesOf(answer)).toEqual(['INVALID_USERS', 'INVALID_USERS']);
    expect(await storedRows(service)).toEqual(before);
    expect(await storedPrincipal(service, key)).toMatchObject({ denomination: 'Rossi Srl' });
  });
});

describe('the password of a user in an upsert', () => {
  it('is required for a new user', async () => {
    const answer = await upsert(service, [
      { ExternalKey: unique('C'), Users: [{ Username: unique('user') }] },
    ]);
    expect(fieldCodesOf(answer)).toEqual({
      'Users[0].Password': ['REQUIRED'],
      'Users[0].ConfirmPassword': ['REQUIRED'],
    });
  });

  it('is ignored for an existing user, even if it is not valid', async () => {
    const { key, username } = await company();
    const before = await storedRows(service);
    const short = { Username: username, Password: 'x', ConfirmPassword: 'y' };
    const answer = await upsert(service, [{ ExternalKey: key, Users: [short] }]);
    expect(countsOf(answer)).toEqual(counts({ Unchanged: 1 }));
    expect(await storedRows(service)).toEqual(before);
    expect((await login(service, username)).status).toBe(200);
  });

  it('is changed for an existing user with passwords=overwrite, together with other fields', async () => {
    const { key, username } = await company();
    const Password = 'another long sentence';
    const item = { Username: username, Password, ConfirmPassword: Password };
    const alone = await upsert(service, [{ ExternalKey: key, Users: [item] }], 'passwords=overwrite');
    expect(effectsOf(alone)).toMatchObject([
      { Principal: 'unchanged', Users: [{ Operation: 'edit', Changed: ['Password'] }] },
    ]);
    expect(alone.text).not.toContain(Password);
    expect((await login(service, username, Password)).status).toBe(200);
    const both = await upsert(
      service,
      [{ ExternalKey: key, Users: [{ ...newUser(username), Phone: '+39 06 2' }] }],
      'passwords=overwrite',
    );
    expect(effectsOf(both)).toMatchObject([{ Users: [{ Changed: ['Phone', 'Password'] }] }]);
    expect(countsOf(both)).toEqual(counts({ UsersUpdated: 1 }));
    expect((await login(service, username)).status).toBe(200);
  });

  it('must be valid with passwords=overwrite, and must not equal the new email address', async () => {
    const { key, username } = await company();
    const item = (Password: string) => ({ Username: username, Password, ConfirmPassword: Password });
    const short = await upsert(service, [{ ExternalKey: key, Users: [item('x')] }], 'passwords=overwrite');
    expect(fieldCodesOf(short)).toEqual({ 'Users[0].Password': ['PASSWORD_TOO_SHORT'] });
    const own = { ...item('somebody@example.com'), Email: 'somebody@example.com' };
    const email = await upsert(service, [{ ExternalKey: key, Users: [own] }], 'passwords=overwrite');
    expect(fieldCodesOf(email)).toEqual({ 'Users[0].Password': ['PASSWORD_IS_EMAIL'] });
  });

  it('is refused beside the stored hash with passwords=overwrite', async () => {
    const { key, record } = await insertPrincipal(service, { Users: [importedUser(unique('user'))] });
    const Users = record.Users.map((user) => ({ ...user, Password: 'a new long sentence' }));
    const answer = await upsert(service, [{ ExternalKey: key, Users }], 'passwords=overwrite');
    expect(fieldCodesOf(answer)).toEqual({ 'Users[0].Password': ['PASSWORD_BESIDE_HASH'] });
  });

  it('is unchanged if the stored hash is sent with passwords=overwrite', async () => {
    const { key, username } = await company();
    const before = await storedRows(service);
    const item = { Username: username, PasswordHash: importedHash };
    const answer = await upsert(service, [{ ExternalKey: key, Users: [item] }], 'passwords=overwrite');
    expect(countsOf(answer)).toEqual(counts({ Unchanged: 1 }));
    expect(await storedRows(service)).toEqual(before);
    const other = importedHash.replace('NpiOLOF', 'MpiOLOF');
    const changed = await upsert(
      service,
      [{ ExternalKey: key, Users: [{ Username: username, PasswordHash: other }] }],
      'passwords=overwrite',
    );
    expect(countsOf(changed)).toEqual(counts({ UsersUpdated: 1 }));
  });

  it('is hashed only for new users', async () => {
    const { key, username } = await company();
    const hashed = async () => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      const found = [...metrics.matchAll(/^anagrafe_hash_duration_seconds_count\{[^}]*\} (\d+)$/gm)];
      return found.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await hashed();
    const users = [newUser(username), newUser(unique('user'))];
    await upsert(service, [{ ExternalKey: key, Users: users }]);
    expect((await hashed()) - before).toBe(1);
  });
});
