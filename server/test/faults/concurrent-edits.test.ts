import { wrongFigures } from '@anagrafe/testing/figures';
import { importedUser } from '@anagrafe/testing/jobs';
import { login, rightPassword } from '@anagrafe/testing/login';
import { importedUsers, insertPrincipal, listedPrincipal, range, unique } from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const principal = (users: number) => insertPrincipal(service, { Users: importedUsers(users) });

/** Sends a call until none of its records failed because of conflicts with other calls. */
async function retried(path: string, records: readonly unknown[], key: string) {
  for (;;) {
    const answer = await service.call(path, records, { headers: { 'idempotency-key': key } });
    const codes = (answer.body.result?.records ?? []).map(({ Item2 }) => Item2);
    if (answer.status !== 409 && !codes.includes('NOT_APPLIED')) return answer;
  }
}

describe('concurrent irs/update calls', () => {
  it('that edit different fields of one principal and its users are all applied', async () => {
    const { id, userIds } = await principal(4);
    const fields = ['Denomination', 'Surname', 'Name', 'Vatnumber', 'Taxcode'];
    const calls = [
      ...fields.map((field) => ({ ID: id, [field]: `new ${field}` })),
      ...userIds.map((ID, n) => ({ ID: id, Users: [{ Operation: 'edit', ID, Phone: `phone ${n}` }] })),
      ...userIds.map((ID, n) => ({ ID: id, Users: [{ Operation: 'edit', ID, Email: `${n}@example.com` }] })),
      { ID: id, Users: [importedUser('registered meanwhile')] },
    ];
    const answers = await Promise.all(calls.map((record, n) => retried('irs/update', [record], `lost-${n}`)));
    expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 200));
    const stored = await listedPrincipal(service, id);
    expect(stored).toMatchObject(Object.fromEntries(fields.map((field) => [field, `new ${field}`])));
    expect(stored?.Users.map(({ Email, Phone }) => [Email, Phone])).toEqual([
      ...userIds.map((_, n) => [`${n}@example.com`, `phone ${n}`]),
      [null, null],
    ]);
    const [rows] = await service.database.query<{ count: number }>(
      `select count(*)::integer from anagrafe.audit_log where principal_id = $1 and action = 'update'`,
      [id],
    );
    expect(rows?.count).toBe(calls.length);
  });

  it('that edit the same field are all applied, and each has a row in the audit log', async () => {
    const { id, userIds } = await principal(1);
    const values = range(12).map((n) => `value ${n}`);
    const edit = (Phone: string) => ({ ID: id, Users: [{ Operation: 'edit', ID: userIds[0], Phone }] });
    const answers = await Promise.all(
      values.map((value) => retried('irs/update', [edit(value)], `one-${value.replace(' ', '-')}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(values.map(() => 200));
    const rows = await service.database.query(
      `select from anagrafe.audit_log where principal_id = $1 and action = 'update'`,
      [id],
    );
    expect(rows).toHaveLength(values.length);
  });
});

describe('concurrent calls that edit and delete the same principals', () => {
  it('cause no deadlock in whichever order they name them, and keep the stored counts correct', async () => {
    const principals = await Promise.all(range(12).map(() => principal(6)));
    const edits = principals.map(({ id, userIds }) => ({
      ID: id,
      Denomination: 'edited',
      Users: userIds.slice(0, 3).map((ID) => ({ Operation: 'edit', ID, Phone: 'edited' })),
    }));
    const deletes = principals.map(({ id, userIds }) => ({
      ID: id,
      Users: [userIds[3], userIds[4]].map((ID) => ({ ID })),
    }));
    const states = principals.map(({ id, userIds }) => ({
      ID: id,
      Users: [{ ID: userIds[5], State: 'disabled' }],
    }));
    const registrations = principals.map(({ id }) => ({ ID: id, Users: [importedUser(`opposite ${id}`)] }));
    const calls: [string, readonly object[]][] = [
      ['irs/update', edits],
      ['irs/update', edits.toReversed()],
      ['irs/delete', deletes],
      ['irs/state', states.toReversed()],
      ['irs/state', states],
      ['irs/update', registrations.toReversed()],
    ];
    const answers = await Promise.all(
      calls.map(([path, records], n) => retried(path, records, `opposite-${n}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 200));
    const removals = await Promise.all([
      retried(
        'irs/delete',
        principals.map(({ id }) => ({ ID: id })),
        'forwards',
      ),
      retried(
        'irs/delete',
        principals.toReversed().map(({ id }) => ({ ID: id })),
        'backwards',
      ),
      retried('irs/update', edits.toReversed(), 'edited-meanwhile'),
    ]);
    const codes = removals.map(({ body }) => (body.result?.records ?? []).map(({ Item2 }) => Item2));
    const [forwards = [], backwards = []] = codes;
    // Each principal is deleted by exactly one of the two calls.
    for (const [n, code] of forwards.entries())
      expect([code, backwards.toReversed()[n]].toSorted()).toEqual(['PRINCIPAL_NOT_FOUND', null]);
    expect(new Set(codes[2])).not.toContain('RECORD_FAILED');
    expect(await wrongFigures(service.database)).toEqual([]);
    expect(service.log.filter((line) => line.includes('unexpected error'))).toEqual([]);
  });

  it('can all empty the same failed records', async () => {
    const { id, userIds, usernames } = await principal(8);
    const failing = usernames.map((name) => ({
      ID: id,
      Users: usernames.map(() => ({ Operation: 'edit', Username: name, Extra: 1 })),
    }));
    await service.call('irs/update', failing);
    const answers = await Promise.all(
      userIds.map((ID, n) => retried('irs/delete', [{ ID: id, Users: [{ ID }] }], `failed-${n}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(userIds.map(() => 200));
  });
});

describe('concurrent sign-ins of a user that is deleted', () => {
  it('get 200 before the deletion and 401 after it, and leave no session', async () => {
    for (let round = 0; round < 6; round++) {
      const name = unique('user');
      const { id, userIds } = await insertPrincipal(service, { Users: [newUser(name)] });
      const first = await login(service, name);
      const { RefreshToken } = (first.body.result?.record ?? {}) as { RefreshToken?: string };
      const record = round % 2 === 0 ? { ID: id } : { ID: id, Users: [{ ID: userIds[0] }] };
      const [deleted, ...answers] = await Promise.all([
        retried('irs/delete', [record], `sign-in-${round}`),
        ...range(4).map(() => login(service, name, rightPassword)),
        service.call('login/refresh', { RefreshToken }),
      ]);
      expect(deleted.status).toBe(200);
      for (const { status } of answers) expect([200, 401]).toContain(status);
      expect((await login(service, name)).status).toBe(401);
    }
    const left = await service.database.query('select from anagrafe.sessions');
    expect(left).toEqual([]);
  });
});
