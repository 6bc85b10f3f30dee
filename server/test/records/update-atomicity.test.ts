import { databaseTime } from '@anagrafe/testing/clock';
import { holding } from '@anagrafe/testing/jobs';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { verify } from '@node-rs/argon2';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let first: number;
let second: number;

beforeAll(async () => {
  service = await startTestService();
  [first = 0, second = 0] = await insertPrincipals(service, 2);
});

const badUser = (Username: string) => ({ Username, Password: 'short', ConfirmPassword: 'short' });
const reset = (ID: number, Password: string) => ({ ID, Password, ConfirmPassword: Password });

async function update(records: unknown[]) {
  const answer = await service.call('irs/update', records);
  return { ...answer, tuples: answer.body.result?.records ?? [] };
}

async function stored(username: string) {
  const [user] = await service.database.query<{ id: number; principal: number; hash: string }>(
    'select id, principal_id as principal, password_hash as hash from anagrafe.users where username = $1',
    [username],
  );
  return user;
}

async function register(principal: number, username: string): Promise<number> {
  await update([{ ID: principal, Users: [newUser(username)] }]);
  return (await stored(username))?.id ?? 0;
}

describe('a record', () => {
  it('is refused as a whole when one of its users is refused', async () => {
    const old = await register(first, 'whole.old');
    const before = await stored('whole.old');
    const { tuples } = await update([
      { ID: first, Users: [newUser('whole.new'), reset(old, 'a new long sentence'), badUser('whole.bad')] },
    ]);
    expect(tuples[0]).toMatchObject({ Item2: 'INVALID_USERS', Item3: false });
    expect(Object.keys(tuples[0]?.Item5 ?? {})).toEqual(['Users[2].Password']);
    expect(await stored('whole.new')).toBeUndefined();
    expect(await stored('whole.old')).toEqual(before);
  });

  it('changes neither users_count nor updated_at of its principal if it is refused', async () => {
    const read = () =>
      service.database.query('select users_count, updated_at from anagrafe.principals where id = $1', [
        first,
      ]);
    const before = await read();
    await update([{ ID: first, Users: [newUser('trace.1'), badUser('trace.2')] }]);
    expect(await read()).toEqual(before);
  });

  it('does not affect the other records of the call if it is refused', async () => {
    const { status, body, tuples } = await update([
      { ID: first, Users: [newUser('others.1')] },
      { ID: second, Users: [newUser('others.2'), badUser('others.3')] },
      { ID: 999_999, Users: [newUser('others.4')] },
      { ID: second, Users: [newUser('others.5')] },
    ]);
    expect(status).toBe(207);
    expect(body.message).toBe(
      '2 of 4 records were applied. See result.records for the errors of the others.',
    );
    expect(tuples.map((tuple) => [tuple.Item1, tuple.Item2, tuple.Item3])).toEqual([
      [first, null, true],
      [second, 'INVALID_USERS', false],
      [999_999, 'PRINCIPAL_NOT_FOUND', false],
      [second, null, true],
    ]);
    const names = await service.database.query<{ username: string }>(
      `select username from anagrafe.users where username like 'others.%' order by username`,
    );
    expect(names.map((row) => row.username)).toEqual(['others.1', 'others.5']);
  });
});

describe('a principal that is named twice in a call', () => {
  it('has its records applied in the order sent: the later reset wins', async () => {
    const id = await register(first, 'later.wins');
    const passwords = Array.from({ length: 8 }, (_, n) => `sentence number ${n}`);
    const { status } = await update(
      passwords.map((password) => ({ ID: first, Users: [reset(id, password)] })),
    );
    expect(status).toBe(200);
    const hash = (await stored('later.wins'))?.hash ?? '';
    expect(await verify(hash, 'sentence number 7')).toBe(true);
    expect(await verify(hash, 'sentence number 0')).toBe(false);
  });

  it('may have its earlier record refused and its later one applied', async () => {
    const id = await register(first, 'later.good');
    const { tuples } = await update([
      { ID: first, Users: [reset(id, 'first long sentence'), badUser('later.bad')] },
      { ID: first, Users: [reset(id, 'second long sentence')] },
    ]);
    expect(tuples.map((tuple) => tuple.Item3)).toEqual([false, true]);
    expect(await verify((await stored('later.good'))?.hash ?? '', 'second long sentence')).toBe(true);
  });
});

describe('a record that waited for a row lock', () => {
  it('has the time of its write in updated_at, so that a list filtered by Date does not miss it', async () => {
    const id = await register(first, 'waits');
    let waiting: ReturnType<typeof update> | undefined;
    const lock = ['update anagrafe.principals set updated_at = now() where id = $1', first] as const;
    const free = await holding(service, lock, async ({ connection, blocked }) => {
      waiting = update([{ ID: first, Users: [reset(id, 'a new long sentence'), newUser('waits.new')] }]);
      await blocked(1);
      return databaseTime(connection);
    });
    expect((await waiting)?.status).toBe(200);
    const [{ times = [] } = {}] = await service.database.query<{ times: Date[] }>(
      `select array[principal.updated_at, old.updated_at, old.password_changed_at, new.created_at] as times
         from anagrafe.principals as principal, anagrafe.users as old, anagrafe.users as new
        where principal.id = $1 and old.username = 'waits' and new.username = 'waits.new'`,
      [first],
    );
    expect(times).toHaveLength(4);
    for (const time of times) expect(time.getTime()).toBeGreaterThanOrEqual(free.getTime());
  });
});

describe('a username that is sent twice in a call', () => {
  it.each([
    ['with the same spelling', 'twin', 'twin'],
    ['differing in case', 'Case.Twin', 'cASE.tWIN'],
    ['differing in width', 'Width Twin', 'Ｗｉｄｔｈ\u3000Ｔｗｉｎ'],
    ['differing in composition', 'nicol\u00f2.twin', 'NICOLO\u0300.twin'],
  ])('is assigned to the first record: %s', async (_, one, two) => {
    const { status, tuples } = await update([
      { ID: first, Users: [newUser(one)] },
      { ID: second, Users: [newUser(two)] },
    ]);
    expect(status).toBe(207);
    expect(tuples[1]).toMatchObject({
      Item1: second,
      Item2: 'USERNAME_TAKEN',
      Item3: false,
      Item4: 'This username occurs earlier in the same call.',
      Item5: {
        'Users[0].Username': [
          { code: 'USERNAME_TAKEN', message: 'This username occurs earlier in the same call.' },
        ],
      },
    });
    expect((await stored(one))?.principal).toBe(first);
  });

  it('is assigned to a later record if the first record is refused for another reason', async () => {
    const { tuples } = await update([
      { ID: first, Users: [newUser('heir'), badUser('heir.bad')] },
      { ID: 999_999, Users: [newUser('heir')] },
      { ID: second, Users: [newUser('heir')] },
    ]);
    expect(tuples.map((tuple) => tuple.Item2)).toEqual(['INVALID_USERS', 'PRINCIPAL_NOT_FOUND', null]);
    expect((await stored('heir'))?.principal).toBe(second);
  });

  it('is assigned to the second record if the first record also has a username that is taken', async () => {
    await register(first, 'chain.taken');
    const { tuples } = await update([
      { ID: first, Users: [newUser('chain.free'), newUser('chain.taken')] },
      { ID: second, Users: [newUser('chain.free')] },
    ]);
    expect(tuples.map((tuple) => tuple.Item2)).toEqual(['USERNAME_TAKEN', null]);
  });

  it('causes the refusal of a record that contains it twice, of which nothing is stored', async () => {
    const { tuples } = await update([{ ID: first, Users: [newUser('double'), newUser('DOUBLE')] }]);
    expect(tuples[0]).toMatchObject({ Item2: 'USERNAME_TAKEN', Item3: false });
    expect(Object.keys(tuples[0]?.Item5 ?? {})).toEqual(['Users[1].Username']);
    expect(await stored('double')).toBeUndefined();
  });
});

describe('a stored username', () => {
  it('is taken for every principal, in any case and width', async () => {
    await register(first, 'Stored.Name');
    const { status, body, tuples } = await update([
      { ID: first, Users: [newUser('stored.name')] },
      { ID: second, Users: [newUser('ＳＴＯＲＥＤ.ＮＡＭＥ')] },
    ]);
    expect(status).toBe(422);
    expect(body.errorCode).toBe('USERNAME_TAKEN');
    expect(tuples.map((tuple) => tuple.Item3)).toEqual([false, false]);
  });

  it('is registered by exactly one of many concurrent calls', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        update([{ ID: n % 2 ? first : second, Users: [newUser(n % 3 ? 'race' : 'RACE')] }]),
      ),
    );
    const codes = answers.map((answer) => answer.body.errorCode).filter((code) => code !== null);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(codes).toEqual(Array(11).fill('USERNAME_TAKEN'));
  });

  it('causes no deadlock between calls that send the same names in a different order', async () => {
    const names = Array.from({ length: 6 }, (_, n) => `cross.${n}`);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => {
        const turned = n % 2 ? names : [...names].reverse();
        return update([{ ID: n % 2 ? first : second, Users: turned.map((name) => newUser(name)) }]);
      }),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 422, 422, 422, 422, 422]);
  });
});
