import { wrongFigures } from '@anagrafe/testing/figures';
import {
  finished,
  holding,
  importedUser,
  jobOf,
  principalLock,
  sendJob,
  submit,
} from '@anagrafe/testing/jobs';
import { login, signedIn } from '@anagrafe/testing/login';
import {
  codesOf,
  fieldCodes,
  importedUsers,
  insertPrincipal,
  range,
  representation,
  unique,
} from '@anagrafe/testing/records';
import { type Answer, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { applyPlan, counts, countsOf, effectsOf, planOf, upsert } from '@anagrafe/testing/upserts';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const company = (users = 1, more: Record<string, unknown> = {}) =>
  insertPrincipal(service, { Denomination: unique('Srl'), Users: importedUsers(users), ...more });

const update = (records: unknown) => service.call('irs/update', records, representation);

/** Returns the IDs of the stored users of a principal, and checks its stored number of users. */
async function usersOf(principalId: number): Promise<number[]> {
  const [stored] = await service.database.query<{ users: number; count: number; ids: number[] }>(
    `select users_count as count, array(select id from anagrafe.users where principal_id = $1 order by id) as ids
       from anagrafe.principals where id = $1`,
    [principalId],
  );
  expect(stored?.count).toBe(stored?.ids.length);
  return (stored?.ids ?? []).map(Number);
}

async function stateOf(userId: number): Promise<string | undefined> {
  const [user] = await service.database.query<{ state: string }>(
    'select state from anagrafe.users where id = $1',
    [userId],
  );
  return user?.state;
}

const auditOf = (principalId: number) =>
  service.database.query<{ action: string; details: unknown }>(
    `select action, details from anagrafe.audit_log where principal_id = $1 and details ?| array['moved', 'movedAway'] order by id`,
    [principalId],
  );

const errorsOf = ({ body }: Answer, record = 0) => fieldCodes(body.result?.records[record]);

describe('Operation: "move"', () => {
  it.each(['ID', 'Username'])(
    'takes a user, named by %s, to another principal with its ID and password',
    async (by) => {
      const Username = unique('user');
      const from = await insertPrincipal(service, { Users: [newUser(Username, { Email: 'a@example.com' })] });
      const to = await company(1);
      const [userId = 0] = from.userIds;
      const { Token } = await signedIn(service, Username);
      const item = { Operation: 'move', [by]: by === 'ID' ? userId : Username.toUpperCase() };
      const answer = await update([{ ExternalKey: to.key, Users: [item] }]);
      expect(answer.status).toBe(200);
      expect(effectsOf(answer)).toEqual([
        { Users: [{ ID: userId, Username, Email: 'a@example.com', Operation: 'move' }] },
      ]);
      expect(await usersOf(from.id)).toEqual([]);
      expect(await usersOf(to.id)).toEqual([...to.userIds, userId].sort((one, other) => one - other));
      // The session has ended; the password is still the same.
      const own = await service.call('irs/list', {}, { headers: { AccessToken: Token } });
      expect(own.status).toBe(401);
      const again = await login(service, Username);
      expect(again.body.result?.record).toMatchObject({ IRID: to.id, UserID: userId });
      expect(await wrongFigures(service.database)).toEqual([]);
    },
  );

  it('writes an audit row for each of the two principals, and one event that names both', async () => {
    const [from, to] = [await company(2), await company(0)];
    await update([{ ID: to.id, Users: from.userIds.map((ID) => ({ Operation: 'move', ID })) }]);
    const moved = from.userIds.map((id) => [id, from.id]);
    expect(await auditOf(to.id)).toEqual([{ action: 'update', details: { moved } }]);
    expect(await auditOf(from.id)).toEqual([
      { action: 'update', details: { movedAway: from.userIds.map((id) => [id, to.id]) } },
    ]);
    type Event = { type: string; data: { UserID: number } };
    const newest = async () => {
      const { body } = await service.call<Event>('events?order=newest&pageSize=100', undefined, {
        method: 'GET',
      });
      return (body.result?.records ?? []).filter(({ type, data }) => {
        return type === 'user.moved' && from.userIds.includes(data.UserID);
      });
    };
    await expect.poll(newest).toHaveLength(2);
    const found = await newest();
    expect(found.map(({ data }) => data)).toEqual(
      from.userIds.toReversed().map((UserID, at) => ({
        IRID: to.id,
        ExternalKey: to.key,
        UserID,
        Username: from.usernames.toReversed()[at],
        Email: null,
        FromIRID: from.id,
        FromExternalKey: from.key,
      })),
    );
  });

  it('changes both principals for readers of changes, and only the version of the new one', async () => {
    const [from, to] = [await company(2), await company(0)];
    const versions = () =>
      service.database.query<{ updated: string; version: string }>(
        `select updated_at::text as updated, coalesce(version_at, updated_at)::text as version
           from anagrafe.principals where id = any($1) order by id`,
        [[from.id, to.id]],
      );
    const before = await versions();
    await update([{ ID: to.id, Users: [{ Operation: 'move', ID: from.userIds[0] }] }]);
    const after = await versions();
    expect(after.map(({ updated }, at) => updated !== before[at]?.updated)).toEqual([true, true]);
    expect(after.map(({ version }, at) => version !== before[at]?.version)).toEqual([false, true]);
    await update([{ ID: from.id, Denomination: 'Other' }]);
    const [changed] = await versions();
    expect(changed?.version).toBe(changed?.updated);
  });

  it('changes nothing for a user that the principal already has', async () => {
    const { id, userIds, usernames } = await company(1);
    const answer = await update([{ ID: id, Users: [{ Operation: 'move', Username: usernames[0] }] }]);
    expect(effectsOf(answer)).toMatchObject([{ Users: [{ ID: userIds[0], Operation: 'none' }] }]);
    expect(await auditOf(id)).toEqual([]);
  });

  it('keeps a disabled user disabled, and says so', async () => {
    const [from, to] = [await company(1), await company(0)];
    const [ID] = from.userIds;
    await update([{ ID: from.id, Users: [{ Operation: 'edit', ID, State: 'disabled' }] }]);
    const answer = await update([{ ID: to.id, Users: [{ Operation: 'move', ID }] }]);
    expect(effectsOf(answer)).toMatchObject([{ Users: [{ Operation: 'move', State: 'disabled' }] }]);
  });

  it.each<[string, (own: { to: number; user: number; other: number }) => object[], object]>([
    ['an unknown user', () => [{ Operation: 'move', ID: 999_999 }], { 'Users[0].ID': ['USER_NOT_FOUND'] }],
    [
      'an unknown username',
      () => [{ Operation: 'move', Username: 'nobody.here' }],
      { 'Users[0].Username': ['USER_NOT_FOUND'] },
    ],
    [
      'the same user twice',
      ({ user }) => [
        { Operation: 'move', ID: user },
        { Operation: 'move', ID: user },
      ],
      { 'Users[1].ID': ['DUPLICATE_USER'] },
    ],
    [
      'a user of the principal that the record edits, too',
      ({ other }) => [
        { Operation: 'edit', ID: other, Phone: '1' },
        { Operation: 'move', ID: other },
      ],
      { 'Users[1].ID': ['DUPLICATE_USER'] },
    ],
    [
      'an unknown field',
      ({ user }) => [{ Operation: 'move', ID: user, Phone: '1' }],
      { 'Users[0].Phone': ['UNKNOWN_FIELD'] },
    ],
    ['no user', () => [{ Operation: 'move' }], { 'Users[0].ID': ['REQUIRED'] }],
  ])('fails for %s', async (_, items, errors) => {
    const [from, to] = [await company(1), await company(1)];
    const own = { to: to.id, user: from.userIds[0] ?? 0, other: to.userIds[0] ?? 0 };
    expect(errorsOf(await update([{ ID: to.id, Users: items(own) }]))).toEqual(errors);
    expect(await usersOf(from.id)).toEqual(from.userIds);
  });

  it('fails for a disabled principal', async () => {
    const [from, to] = [await company(1), await company(0)];
    await service.call('irs/state', [{ ID: to.id, State: 'disabled' }]);
    const answer = await update([{ ID: to.id, Users: [{ Operation: 'move', ID: from.userIds[0] }] }]);
    expect(codesOf(answer)).toEqual(['PRINCIPAL_DISABLED']);
  });

  it('fails in the second of two records that move one user, and in a record that changes it afterwards', async () => {
    const [from, one, two] = [await company(2), await company(0), await company(0)];
    const [ID, gone] = from.userIds;
    const records = [
      { ID: one.id, Users: [{ Operation: 'move', ID }] },
      { ID: two.id, Users: [{ Operation: 'move', ID }] },
      { ID: from.id, Users: [{ Operation: 'edit', ID, Phone: '1' }] },
      { ID: from.id, Users: [{ Operation: 'delete', ID: gone }] },
      { ID: two.id, Users: [{ Operation: 'move', ID: gone }] },
    ];
    const expected = [null, 'INVALID_USERS', 'INVALID_USERS', null, 'INVALID_USERS'];
    expect(codesOf(await service.call('irs/update?dryRun=true', records))).toEqual(expected);
    const answer = await update(records);
    expect(codesOf(answer)).toEqual(expected);
    expect(errorsOf(answer, 1)).toEqual({ 'Users[0].ID': ['DUPLICATE_USER'] });
    expect(await usersOf(one.id)).toEqual([ID]);
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  it('is applied after the earlier records of the old principal, at once and as a job', async () => {
    for (const asJob of [false, true]) {
      const [from, to] = [await company(1), await company(0)];
      const [ID] = from.userIds;
      const records = [
        { ID: from.id, Users: [{ Operation: 'edit', ID, Phone: '+39 1' }] },
        { ID: to.id, Users: [{ Operation: 'move', ID }] },
      ];
      const answer = asJob
        ? await finished(service, await submit(service, 'irs/update', records))
        : await update(records);
      expect(codesOf(answer)).toEqual([null, null]);
      expect(await usersOf(to.id)).toEqual([ID]);
      const [user] = await service.database.query('select phone from anagrafe.users where id = $1', [ID]);
      expect(user).toEqual({ phone: '+39 1' });
    }
  });

  it('moves the users of one principal to many others in one call', async () => {
    const from = await company(30);
    const records = await Promise.all(
      from.userIds.map(async (ID) => ({ ID: (await company(0)).id, Users: [{ Operation: 'move', ID }] })),
    );
    const answer = await update(records);
    expect(codesOf(answer)).toEqual(records.map(() => null));
    expect(await usersOf(from.id)).toEqual([]);
    expect(await wrongFigures(service.database)).toEqual([]);
  });
});

describe('a move', () => {
  it.each<[string, string, string | null]>([
    [
      'moved',
      `with moved as (update anagrafe.users set principal_id = $2 where id = $1)
       update anagrafe.principals set users_count = users_count + case id when $2 then 1 else -1 end where id in ($2, $3)`,
      null,
    ],
    [
      'renamed',
      `with renamed as (update anagrafe.users set username_key = username_key || ' renamed' where id = $1)
       select $2::bigint, $3::bigint`,
      'USER_NOT_FOUND',
    ],
  ])('is checked again if its user was %s since the check', async (_, change, expected) => {
    const [from, to, other] = [await company(1), await company(0), await company(0)];
    const [ID] = from.userIds;
    const record = { ID: to.id, Users: [{ Operation: 'move', Username: from.usernames[0] }] };
    const answer = await holding(service, principalLock(from.id), async (held) => {
      const answering = update([record]);
      await held.blocked(1);
      await held.connection.query(change, [ID, other.id, from.id]);
      return () => answering;
    }).then((answering) => answering());
    expect(codesOf(answer)).toEqual([expected]);
    expect(await usersOf(to.id)).toEqual(expected === null ? [ID] : []);
  });

  it('of a user whose principal is being deleted finds no user, and the deletion deletes no user that moved away', async () => {
    const [from, to] = [await company(3), await company(0)];
    const [ID] = from.userIds;
    const records = { move: [{ ID: to.id, Users: [{ Operation: 'move', ID }] }], delete: [{ ID: from.id }] };
    const [moved, deleted] = await Promise.all([
      update(records.move),
      service.call('irs/delete', records.delete, representation),
    ]);
    expect(codesOf(deleted)).toEqual([null]);
    const isMoved = codesOf(moved)[0] === null;
    if (!isMoved) expect(codesOf(moved)).toEqual(['USER_NOT_FOUND']);
    expect(await usersOf(to.id)).toEqual(isMoved ? [ID] : []);
    const listed = effectsOf(deleted)[0]?.Users?.map(({ ID: id }) => id);
    expect(listed).toEqual(isMoved ? from.userIds.slice(1) : from.userIds);
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  it('in both directions at once ends without a deadlock', async () => {
    const [one, two] = [await company(10), await company(10)];
    const answers = await Promise.all(
      range(10).flatMap((at) => [
        update([{ ID: two.id, Users: [{ Operation: 'move', ID: one.userIds[at] }] }]),
        update([{ ID: one.id, Users: [{ Operation: 'move', ID: two.userIds[at] }] }]),
      ]),
    );
    expect(answers.flatMap(codesOf)).toEqual(range(20).map(() => null));
    expect(await usersOf(one.id)).toEqual(two.userIds);
    expect(await usersOf(two.id)).toEqual(one.userIds);
    expect(await wrongFigures(service.database)).toEqual([]);
  });
});

describe('an upsert with moves=allow', () => {
  const users = (usernames: readonly string[]) => usernames.map((Username) => ({ Username }));

  it('moves a user with new values, and counts it once', async () => {
    const [from, to] = [await company(2), await company(0)];
    const [Username = ''] = from.usernames;
    const record = { ExternalKey: to.key, Users: [{ Username, Phone: '+39 1' }] };
    expect(codesOf(await upsert(service, [record]))).toEqual(['USERNAME_TAKEN']);
    const answer = await upsert(service, [record], 'moves=allow');
    expect(countsOf(answer)).toEqual(counts({ UsersMoved: 1 }));
    expect(effectsOf(answer)).toMatchObject([
      { Principal: 'unchanged', Users: [{ ID: from.userIds[0], Operation: 'move', Changed: ['Phone'] }] },
    ]);
    expect(await usersOf(to.id)).toEqual([from.userIds[0]]);
    expect(await usersOf(from.id)).toEqual([from.userIds[1]]);
  });

  it('inserts a principal with users of others', async () => {
    const [one, two] = [await company(2), await company(1)];
    const key = unique('C');
    const Users = [...users([one.usernames[0] ?? '', two.usernames[0] ?? '']), importedUser(unique('user'))];
    const answer = await upsert(service, [{ ExternalKey: key, Users }], 'moves=allow');
    expect(countsOf(answer)).toEqual(counts({ PrincipalsInserted: 1, UsersRegistered: 1, UsersMoved: 2 }));
    const id = answer.body.result?.records[0]?.Item1 ?? 0;
    expect(await usersOf(id)).toHaveLength(3);
    expect(await auditOf(id)).toEqual([
      {
        action: 'insert',
        details: {
          moved: [
            [one.userIds[0], one.id],
            [two.userIds[0], two.id],
          ],
        },
      },
    ]);
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  describe.each(['disable', 'delete'])('and missing=%s', (missing) => {
    const query = `moves=allow&missing=${missing}`;

    it.each([false, true])(
      'does not remove a user that another record has, in either order (%s)',
      async (reversed) => {
        const [from, to] = [await company(3), await company(1)];
        const [stays = '', moves = ''] = from.usernames;
        const records = [
          { ExternalKey: from.key, Users: users([stays]) },
          { ExternalKey: to.key, Users: users([...to.usernames, moves]) },
        ];
        const sent = reversed ? records.toReversed() : records;
        const removed = missing === 'disable' ? 'UsersDisabled' : 'UsersDeleted';
        const plan = await upsert(service, sent, `${query}&dryRun=true`);
        expect(countsOf(plan)).toMatchObject({ UsersMoved: 1, [removed]: 1 });
        const answer = await applyPlan(service, sent, query);
        expect([answer.status, codesOf(answer)]).toEqual([200, [null, null]]);
        expect(countsOf(answer)).toMatchObject({ UsersMoved: 1, [removed]: 1 });
        expect(await stateOf(from.userIds[1] ?? 0)).toBe('active');
        expect(await usersOf(to.id)).toEqual([...to.userIds, from.userIds[1]].sort((a = 0, b = 0) => a - b));
        expect(await wrongFigures(service.database)).toEqual([]);
      },
    );

    it('exchanges users between two principals by a plan, at once and as a job', async () => {
      for (const asJob of [false, true]) {
        const [one, two] = [await company(2), await company(2)];
        const records = [
          {
            ExternalKey: one.key,
            Denomination: 'One',
            Users: users([one.usernames[0] ?? '', two.usernames[0] ?? '']),
          },
          {
            ExternalKey: two.key,
            Denomination: 'Two',
            Users: users([two.usernames[1] ?? '', one.usernames[1] ?? '']),
          },
        ];
        const plan = planOf(await upsert(service, records, `${query}&dryRun=true`));
        const headers = { 'if-match': `"${plan}"` };
        const answer = asJob
          ? await finished(service, jobOf(await sendJob(service, `irs/upsert?${query}`, records, headers)).ID)
          : await upsert(service, records, query, headers);
        expect(codesOf(answer)).toEqual([null, null]);
        expect(await usersOf(one.id)).toEqual([one.userIds[0], two.userIds[0]]);
        expect(await usersOf(two.id)).toEqual([one.userIds[1], two.userIds[1]]);
        expect(await stateOf(one.userIds[1] ?? 0)).toBe('active');
        if (asJob)
          expect(jobOf(answer)).toMatchObject({ Counts: counts({ PrincipalsUpdated: 2, UsersMoved: 2 }) });
      }
    });

    it('keeps a user whose new record fails', async () => {
      const [from, to] = [await company(2), await company(0)];
      const [stays = '', moves = ''] = from.usernames;
      const records = [
        { ExternalKey: from.key, Users: users([stays]) },
        { ExternalKey: to.key, Users: [...users([moves]), { Username: unique('without.password') }] },
      ];
      for (const asJob of [false, true]) {
        const answer = asJob
          ? await finished(service, await submit(service, `irs/upsert?${query}`, records))
          : await upsert(service, records, query);
        expect(codesOf(answer)).toEqual([null, 'INVALID_USERS']);
        expect(await usersOf(from.id)).toEqual(from.userIds);
        expect(await stateOf(from.userIds[1] ?? 0)).toBe('active');
      }
    });
  });

  it('does not move a user that several records contain', async () => {
    const [from, one, two] = [await company(2), await company(0), await company(0)];
    const [both = '', other = ''] = from.usernames;
    const records = [
      { ExternalKey: one.key, Users: users([both]) },
      { ExternalKey: from.key, Users: users([other]) },
      { ExternalKey: two.key, Users: users([both.toUpperCase()]) },
    ];
    const answer = await upsert(service, records, 'moves=allow&missing=delete');
    expect(codesOf(answer)).toEqual(['USERNAME_TAKEN', null, 'USERNAME_TAKEN']);
    expect(answer.body.result?.records[0]?.Item4).toContain('Several records');
    expect(await usersOf(from.id)).toEqual(from.userIds);
    const kept = await upsert(
      service,
      [
        { ExternalKey: from.key, Users: users([both, other]) },
        { ExternalKey: one.key, Users: users([both]) },
      ],
      'moves=allow',
    );
    expect(codesOf(kept)).toEqual([null, 'USERNAME_TAKEN']);
  });

  it('needs a plan to move more than the allowed share of the users of a principal', async () => {
    const [from, to] = [await company(25), await company(0)];
    const records = [{ ExternalKey: to.key, Users: users(from.usernames) }];
    const refused = await upsert(service, records, 'moves=allow');
    expect([refused.status, refused.body.errorCode]).toEqual([422, 'TOO_MANY_REMOVALS']);
    expect(refused.body.message).toContain(`25 of the 25 users of the principal with ID ${from.id}`);
    const answer = await applyPlan(service, records, 'moves=allow');
    expect(countsOf(answer)).toEqual(counts({ UsersMoved: 25 }));
    const many = await Promise.all(range(21).map(() => company(1)));
    const back = many.map(({ usernames }) => usernames[0] ?? '');
    const call = await upsert(service, [{ ExternalKey: from.key, Users: users(back) }], 'moves=allow');
    expect(call.body.errorCode).toBe('TOO_MANY_REMOVALS');
  });

  it('gets 412 if a user that the plan moves was changed after the dry run', async () => {
    const [from, to] = [await company(1), await company(0)];
    const records = [{ ExternalKey: to.key, Users: users(from.usernames) }];
    const plan = planOf(await upsert(service, records, 'moves=allow&dryRun=true'));
    await update([{ ID: from.id, Users: [{ Operation: 'edit', ID: from.userIds[0], Phone: '1' }] }]);
    const answer = await upsert(service, records, 'moves=allow', { 'if-match': `"${plan}"` });
    expect([answer.status, answer.body.errorCode]).toEqual([412, 'PLAN_OUTDATED']);
  });

  it('does not lose a change of the user that another call makes meanwhile', async () => {
    const [from, to] = [await company(1), await company(0)];
    const [Username = ''] = from.usernames;
    const records = [{ ExternalKey: to.key, Users: [{ Username, Phone: '+39 1' }] }];
    const answer = await holding(service, principalLock(from.id), async (held) => {
      const answering = upsert(service, records, 'moves=allow');
      await held.blocked(1);
      await held.connection.query(
        `update anagrafe.users set email = 'new@example.com', updated_at = clock_timestamp() where id = $1`,
        [from.userIds[0]],
      );
      return () => answering;
    }).then((answering) => answering());
    expect(codesOf(answer)).toEqual([null]);
    const [user] = await service.database.query(
      'select email, phone from anagrafe.users where id = $1',
      from.userIds,
    );
    expect(user).toEqual({ email: 'new@example.com', phone: '+39 1' });
  });

  it('cannot be combined with existing=refuse', async () => {
    const answer = await upsert(service, [{ ExternalKey: unique('C') }], 'moves=allow&existing=refuse');
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
  });
});
